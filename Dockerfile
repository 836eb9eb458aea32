# The command line as a small image, for pipelines:
#
#     docker build --tag olmsolve .
#     docker run --rm --volume "$PWD:/work" olmsolve validate catalogs
FROM python:3.13-slim AS build
COPY . /source
RUN python -m venv /opt/olmsolve \
    && /opt/olmsolve/bin/pip install --no-cache-dir --no-compile "/source[cli,images]" \
    && /opt/olmsolve/bin/pip uninstall --yes pip \
    && find /opt/olmsolve -name tests -type d -prune -exec rm -rf {} +

FROM python:3.13-slim
COPY --from=build /opt/olmsolve /opt/olmsolve
# Nobody in particular: what is mounted is read, and written only where the folder allows it.
USER 10001:10001
ENV PATH=/opt/olmsolve/bin:$PATH PYTHONDONTWRITEBYTECODE=1 HOME=/tmp
WORKDIR /work
ENTRYPOINT ["olmsolve"]
CMD ["--help"]
