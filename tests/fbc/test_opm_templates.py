"""Templates made of catalogs, to the byte of ``opm alpha convert-template`` (operator-registry 1.73.0), as recorded."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.commands import Run, runner

CATALOG = """\
{"schema":"olm.package","name":"p","defaultChannel":"s","description":"a <b> & c"}
{"schema":"olm.channel","package":"p","name":"s","entries":[{"name":"p.v1"}]}
{"schema":"olm.bundle","package":"p","name":"p.v1","image":"q.io/p:1","properties":[{"type":"olm.package","value":\
{"packageName":"p","version":"1.0.0"}},{"type":"olm.package.required","value":{"packageName":"q","versionRange":"<2.0.0"}}]}
"""
HEAD = """\
{{
    "schema": "olm.template.{kind}",
    "entries": [
        {{
            "defaultChannel": "s",
            "description": "a \\u003cb\\u003e \\u0026 c",
            "name": "p",
            "schema": "olm.package"
        }},
        {{
            "entries": [
                {{
                    "name": "p.v1"
                }}
            ],
            "name": "s",
            "package": "p",
            "schema": "olm.channel"
        }},
        {{
"""
BASIC = """\
            "schema": "olm.bundle",
            "image": "q.io/p:1"
        }
    ]
}
"""
SUBSTITUTES = """\
            "image": "q.io/p:1",
            "name": "p.v1",
            "package": "p",
            "properties": [
                {
                    "type": "olm.package",
                    "value": {
                        "packageName": "p",
                        "version": "1.0.0"
                    }
                },
                {
                    "type": "olm.package.required",
                    "value": {
                        "packageName": "q",
                        "versionRange": "\\u003c2.0.0"
                    }
                }
            ],
            "schema": "olm.bundle"
        }
    ],
    "substitutions": []
}
"""
BASIC_YAML = """\
---
entries:
- defaultChannel: s
  description: a <b> & c
  name: p
  schema: olm.package
- entries:
  - name: p.v1
  name: s
  package: p
  schema: olm.channel
- image: q.io/p:1
  schema: olm.bundle
schema: olm.template.basic

"""


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("-o", "opm-json"), HEAD.format(kind="basic") + BASIC),
        (("-o", "opm-json", "--substitutes"), HEAD.format(kind="substitutes") + SUBSTITUTES),
        (("-o", "opm-yaml"), BASIC_YAML),
    ],
    ids=["basic", "substitutes", "yaml"],
)
def test_the_bytes_are_those_of_opm(
    options: tuple[str, ...], expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Everything but a reference has gone through Go's JSON; the YAML ends with an empty line."""
    (tmp_path / "c.json").write_text(CATALOG, "utf-8")
    olmsolve: Run = runner(capsys)
    assert olmsolve("catalog", "convert-template", str(tmp_path / "c.json"), *options).out == expected
