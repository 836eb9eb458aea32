"""Odd bundles: every kind of file, field and property that ``opm render`` knows, in unusual company.

A bundle is the texts of its files by path. Everything comes from one random generator, so that a seed stands for a
bundle. About half of them are valid; among the others are fields of wrong types and definitions that are missing.
"""

from __future__ import annotations

import json
import random
from typing import Any, Final

import yaml

__all__ = ["METADATA", "PREFIX", "in_odd_json", "odd_bundle"]

PREFIX: Final = "operators.operatorframework.io.bundle"
_TEXTS: Final = (
    *("plain", "<a> & 'b'", "é — あ 😀", "line\nline", "\u2028x\u2029y", "tab\there", "1.0", "true", "null", ""),
    *("a: b # c", '"q"', "\\n", "~", "  lead", "long " * 30),
)
_VALUES: Final[tuple[Any, ...]] = (
    *(1, 1.0, 1.5, 0, 1e21, 1e-7, 2**53 + 1, 10**18, 123456789.25, True, False, None, "t", "<>"),
    *([], {}, [1, "a"], {"b": 1, "a": {"z": [], "y": None}}),
)
_WRONG: Final[tuple[Any, ...]] = (1, "x", [], {}, None, True, [1], 1.5)
_IMAGES: Final = ("q.io/a:1", "q.io/c:2", "", f"q.io/d@sha256:{'0' * 64}")
_MODES: Final = ("OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces")


def odd_bundle(seed: int) -> dict[str, str]:
    """Return the files of the bundle of *seed*, by path."""
    return _Writer(random.Random(seed)).files()


METADATA: Final = ("metadata/properties.yaml", "metadata/dependencies.yaml")


def in_odd_json(files: dict[str, str], seed: int) -> dict[str, str]:
    """Return *files* with the lists of their metadata as JSON, with odd escapes, numbers, blanks and order."""
    chance = random.Random(seed)
    texts = {name: _odd_json(yaml.safe_load(files[name]), chance) for name in METADATA if name in files}
    return {**files, **{name: f"{chance.choice(('', ' ', chr(10)))}{text}" for name, text in texts.items()}}


def _odd_json(value: Any, chance: random.Random) -> str:
    def blank() -> str:
        return chance.choice(("", "", "", " ", "\n ", "\t"))

    if isinstance(value, dict):
        parts = [
            f"{blank()}{_odd_json(str(key), chance)}{blank()}:{blank()}{_odd_json(part, chance)}{blank()}"
            for key, part in value.items()
        ]
        chance.shuffle(parts)
        return f"{{{','.join(parts)}}}"
    if isinstance(value, list):
        return f"[{','.join(f'{blank()}{_odd_json(part, chance)}{blank()}' for part in value)}]"
    if isinstance(value, str):
        return f'"{"".join(_odd_sign(sign, chance) for sign in value)}"'
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**6 and chance.random() < 0.3:
        return chance.choice((f"{value}.0", f"{value}.50", f"{value}e2", f"{value}E+1", "-0", f"{value}e-3"))
    return json.dumps(value)


def _odd_sign(sign: str, chance: random.Random) -> str:
    code = ord(sign)
    if sign in '"\\':
        return f"\\{sign}"
    if code < 0x20 or (code < 0x10000 and chance.random() < 0.15):
        return chance.choice((f"\\u{code:04x}", f"\\u{code:04X}"))
    return sign


class _Writer:
    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._version = chance.choice(("1.0.0", "1.2.3-rc.1", "0.1.0+build.5", "2.0.0", "10.20.30"))

    def files(self) -> dict[str, str]:
        pick = self._chance.choice
        csv = pick(("p.clusterserviceversion.yaml", "csv.yaml", "csv.yml", "csv.json", "z.yaml"))
        manifests = {f"manifests/{csv}": self._csv()}
        manifests |= {
            f"manifests/{pick(('crd', 'a'))}{number}.yaml": self._definition() for number in range(self._upto(2))
        }
        manifests |= {
            f"manifests/m{number}.{pick(('yaml', 'json'))}": self._manifest() for number in range(self._upto(2))
        }
        manifests |= {
            f"manifests/{name}": self._manifest() for name in ("sub/c.yaml", ".h.yaml", "x.bak") if self._is(0.03)
        }
        files = {path: self._dumped(value, is_json=self._is(0.2)) for path, value in manifests.items()}
        files |= {path: text for path, text in (("notes.txt", "hello"), ("README", "a: b")) if self._is(0.04)}
        if self._is(0.03):
            files[f"manifests/{pick(('bad', 'empty'))}.yaml"] = pick(
                ("", "# c\n", "[1]\n", "text\n", "a: {\n", "a: b\n")
            )
        if self._is(0.03):
            files["manifests/two.yaml"] = "kind: A\n---\nkind: B\n"
        annotations = pick(("annotations.yaml",) * 5 + ("annotations.yml", "other.yaml"))
        files[f"metadata/{annotations}"] = self._dumped({"annotations": self._annotations()})
        if self._is(0.4):
            files["metadata/dependencies.yaml"] = self._dumped({"dependencies": self._dependencies()})
        if self._is(0.35):
            files["metadata/properties.yaml"] = self._dumped({"properties": self._properties()})
        return files

    def _is(self, share: float = 0.5) -> bool:
        return self._chance.random() < share

    def _upto(self, most: int) -> int:
        return self._chance.randint(0, most)

    def _text(self) -> str:
        return self._chance.choice(_TEXTS)

    def _value(self) -> Any:
        return self._chance.choice(_VALUES)

    def _typed(self, value: Any, share: float = 0.01) -> Any:
        """Return *value*, or rarely one of another type."""
        return self._chance.choice(_WRONG) if self._is(share) else value

    def _some(self, fields: dict[str, Any], share: float = 0.5) -> dict[str, Any]:
        return {name: self._typed(value) for name, value in fields.items() if self._is(share)}

    def _dumped(self, value: Any, *, is_json: bool = False) -> str:
        if is_json:
            return json.dumps(value, indent=self._chance.choice((None, 3)), ensure_ascii=self._is())
        flow = self._chance.choice((False, None))
        return yaml.safe_dump(value, allow_unicode=self._is(), default_flow_style=flow, sort_keys=self._is())

    def _texts_by_key(self) -> dict[str, Any]:
        keys = ("a", "b", "z", "olm.x", "capabilities", "Z", "categories")
        return {self._chance.choice(keys): self._typed(self._text(), 0.005) for _ in range(self._upto(3))}

    def _descriptor(self) -> dict[str, Any]:
        texts = [self._text() for _ in range(self._upto(2))]
        fields = {"displayName": self._text(), "description": self._text(), "x-descriptors": texts, "unknown": 1}
        return {"path": self._text(), **self._some(fields), **({"value": self._value()} if self._is(0.4) else {})}

    def _described(self, *, is_service: bool) -> dict[str, Any]:
        pick = self._chance.choice
        name = pick(("ks.g.com",) * 4 + ("ls.g.com", "nodot"))
        description: dict[str, Any] = {
            "name": name,
            "version": pick(("v1", "v1", "v1beta1")),
            "kind": pick(("K", "K", "K", "L")),
        }
        if is_service:
            description |= {"group": pick(("g.com", "h.com")), "deploymentName": "d", "containerPort": pick((443, 0))}
        resource = {"kind": "Pod", "name": self._text(), "version": "v1"}
        description |= self._some({"displayName": self._text(), "description": self._text(), "resources": [resource]})
        names = ("specDescriptors", "statusDescriptors", "actionDescriptors")
        return description | self._some(
            {name: [self._descriptor() for _ in range(self._upto(2))] for name in names}, 0.3
        )

    def _roles(self, *, is_service: bool) -> dict[str, Any]:
        count = (0, 0, 1) if not is_service else (0, 1, 2)
        described = {
            role: [self._described(is_service=is_service) for _ in range(self._chance.choice(count))]
            for role in ("owned", "required")
        }
        return self._some(described, 0.8)

    def _deployment(self) -> dict[str, Any]:
        containers = [{"name": "c", "image": self._chance.choice(_IMAGES)} for _ in range(self._chance.randint(1, 2))]
        if self._is(0.3):
            containers[0]["resources"] = {"limits": {"cpu": self._chance.choice(("100m", 1, 0.5))}}  # type: ignore[assignment]
        pod = {self._chance.choice(("containers", "initContainers")): containers}
        return {"name": "d", "spec": {"replicas": 1, "template": {"spec": self._typed(pod)}}}

    def _csv(self) -> dict[str, Any]:
        pick, upto = self._chance.choice, self._upto
        modes = [{"type": mode, "supported": self._is()} for mode in self._chance.sample(_MODES, upto(4))]
        images = [{"name": pick(("n", "", "m")), "image": pick(("q.io/a:1", "q.io/b:1", ""))} for _ in range(upto(3))]
        rule = {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}
        installed = {"deployments": [self._deployment() for _ in range(upto(2))]}
        permitted = {"permissions": [{"serviceAccountName": "s", "rules": [rule]}]}
        webhook = {"type": "ValidatingAdmissionWebhook", "containerPort": 443, "generateName": "g", "targetPort": "x"}
        fields: dict[str, Any] = {
            "description": self._text(),
            "maturity": self._text(),
            "minKubeVersion": pick(("1.20.0", "1.x", "")),
            "minkubeversion": "1.3.0",
            "keywords": [self._text() for _ in range(upto(3))],
            "maintainers": [{"name": self._text(), "email": "e"} for _ in range(upto(2))],
            "links": [{"name": self._text(), "url": "u"} for _ in range(upto(2))],
            "provider": {"name": self._text(), "url": "u"},
            "icon": [
                {"base64data": pick(("aGk=", "aG k", "", "YQ")), "mediatype": "image/png"} for _ in range(upto(2))
            ],
            "installModes": modes,
            "nativeAPIs": [{"group": "apps", "version": "v1", "kind": "D"}],
            "customresourcedefinitions": self._roles(is_service=False),
            "apiservicedefinitions": self._roles(is_service=True),
            "replaces": "p.v0.0.1",
            "skips": ["p.v0.0.2"],
            "labels": {"a": "b"},
            "selector": {"matchLabels": {"a": "b"}},
            "relatedImages": images,
            "cleanup": {"enabled": True},
            "annotations": {"x": "text"},
            "webhookdefinitions": [webhook],
            "install": {"strategy": "deployment", "spec": {**installed, **self._some(permitted)}},
        }
        spec = {"displayName": self._text(), "version": self._version, **self._some(fields)}
        spec |= {"unknownField": self._value()} if self._is() else {}
        annotations = self._texts_by_key() | ({"olm.skipRange": "<1.0.0"} if self._is(0.2) else {})
        if self._is(0.15):
            stated = json.dumps([{"type": "own", "value": self._value()}])
            annotations["olm.properties"] = pick((stated, stated, "[]", "null", "x"))
        about: dict[str, Any] = {"name": f"p.v{self._version}", "annotations": annotations}
        about |= self._some(
            {"labels": self._texts_by_key(), "namespace": "placeholder", "creationTimestamp": None}, 0.3
        )
        csv = {"apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion", "metadata": about}
        return csv | {"spec": spec} | ({"status": {"phase": "x"}} if self._is(0.1) else {})

    def _definition(self) -> dict[str, Any]:
        pick = self._chance.choice
        kind = pick(("K", "K", "L"))
        names = self._chance.sample(("v1", "v1beta1", "v2"), self._chance.randint(0, 3))
        schema = {"openAPIV3Schema": {"type": "object", "default": self._value()}}
        versions = [{"name": name, "served": self._is(), "storage": True, "schema": schema} for name in names]
        spec: dict[str, Any] = {"group": pick(("g.com", "g.com", "h.com", "")), "scope": "Namespaced"}
        spec |= {"names": {"kind": kind, "plural": f"{kind.lower()}s"}, "versions": versions}
        spec |= {"version": "v1"} if self._is(0.2) else {}
        return {
            "apiVersion": f"apiextensions.k8s.io/{pick(('v1', 'v1', 'v1beta1', 'v9'))}",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{kind.lower()}s.g.com"},
            "spec": spec,
        }

    def _manifest(self) -> dict[str, Any]:
        ports = [{"port": 8080, "targetPort": self._chance.choice((1, "x"))}]
        kinds: tuple[dict[str, Any], ...] = (
            {"apiVersion": "v1", "kind": "ConfigMap", "data": {"k": self._text()}, "binaryData": {"b": "aGk="}},
            {"apiVersion": "v1", "kind": "Service", "spec": {"ports": ports}, "status": {"loadBalancer": {}}},
            {"apiVersion": "x.io/v1", "kind": "Odd", "spec": {"v": self._value(), "t": self._text()}},
            {"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "Secret"}]},
            {"kind": "NoVersion"},
        )
        return {**self._chance.choice(kinds), "metadata": {"name": "m"}}

    def _annotations(self) -> dict[str, Any]:
        annotations = {f"{PREFIX}.{name}.v1": f"{name}/" for name in ("manifests", "metadata")}
        annotations |= {f"{PREFIX}.package.v1": "p", f"{PREFIX}.mediatype.v1": "registry+v1"}
        annotations |= {f"{PREFIX}.channels.v1": self._chance.choice(("stable", "a,b", ""))}
        return annotations | ({"com.redhat.openshift.versions": "v4.1"} if self._is(0.05) else {})

    def _dependencies(self) -> Any:
        package = {"packageName": "q", "version": self._chance.choice((">1.0.0", "1.0.0", "<2.0.0"))}
        wanted = {"package": {"packageName": "r", "versionRange": "<2.0.0"}}
        kinds: tuple[dict[str, Any], ...] = (
            {"type": "olm.package", "value": package},
            {"type": "olm.gvk", "value": {"group": "g", "kind": "K", "version": "v1"}},
            {"type": "olm.gvk", "value": {"kind": "K"}},
            {"type": "olm.constraint", "value": {"failureMessage": self._text(), **wanted}},
            {"type": "olm.label", "value": {"label": self._text()}},
            {"type": "own.type", "value": self._value()},
        )
        return self._typed([self._chance.choice(kinds) for _ in range(self._upto(4))])

    def _properties(self) -> Any:
        kinds: tuple[dict[str, Any], ...] = (
            {"type": "own.type", "value": self._value()},
            {"type": "olm.maxOpenShiftVersion", "value": self._chance.choice(("4.9", 4.9, "4.10"))},
            {"type": "olm.gvk", "value": {"group": "z", "kind": "Z", "version": "v1"}},
            {"type": "a", "value": self._text()},
            {"type": "b", "value": {"z": self._value(), "a": self._value()}},
            {"type": "features.operators.openshift.io/x", "value": "<true>"},
            {"type": "olm.package", "value": {"packageName": "q", "version": "9.9.9"}},
            {"type": "olm.csv.metadata", "value": {"displayName": "own"}},
        )
        weights = (4, 4, 4, 4, 4, 4, 1, 1)
        return self._typed(self._chance.choices(kinds, weights, k=self._upto(4)))
