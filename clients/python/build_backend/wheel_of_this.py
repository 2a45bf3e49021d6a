"""Makes the wheel, with the standard library only, so that `pip install ./clients/python` needs no network.

The hooks are those of PEP 517 and PEP 660; the wheel's form is that of the binary distribution format, version 1.0.
"""

import base64
import hashlib
import io
import re
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "proctor_client"
TAG = "py3-none-any"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """A wheel of the package."""
    sources = [path for path in sorted((ROOT / PACKAGE).rglob("*")) if path.suffix in (".py", ".typed")]
    return _wheel(wheel_directory, {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in sources})


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """A wheel that points at this folder."""
    return _wheel(wheel_directory, {f"__editable__.{PACKAGE}.pth": f"{ROOT}\n".encode()})


def build_sdist(sdist_directory, config_settings=None):
    """An archive from which the wheel can be made."""
    stem = f"{PACKAGE}-{_field('version')}"
    with tarfile.open(Path(sdist_directory) / f"{stem}.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for path in sorted(ROOT.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                archive.add(path, f"{stem}/{path.relative_to(ROOT).as_posix()}")
        told = _metadata()
        entry = tarfile.TarInfo(f"{stem}/PKG-INFO")
        entry.size = len(told)
        archive.addfile(entry, io.BytesIO(told))
    return f"{stem}.tar.gz"


def _wheel(folder, files):
    version = _field("version")
    info = f"{PACKAGE}-{version}.dist-info"
    form = f"Wheel-Version: 1.0\nGenerator: {Path(__file__).stem}\nRoot-Is-Purelib: true\nTag: {TAG}\n"
    whole = {**files, f"{info}/METADATA": _metadata(), f"{info}/WHEEL": form.encode()}
    record = [f"{name},sha256={_digest(content)},{len(content)}" for name, content in whole.items()]
    whole[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
    name = f"{PACKAGE}-{version}-{TAG}.whl"
    with zipfile.ZipFile(Path(folder) / name, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in whole.items():
            # the same time always, so that the same source makes the same wheel
            archive.writestr(zipfile.ZipInfo(path, (2020, 1, 1, 0, 0, 0)), content)
    return name


def _metadata():
    head = [
        "Metadata-Version: 2.1", f"Name: {_field('name')}", f"Version: {_field('version')}",
        f"Summary: {_field('description')}", "License: Apache-2.0", f"Requires-Python: {_field('requires-python')}",
        "Description-Content-Type: text/markdown",
    ]
    return ("\n".join(head) + "\n\n" + (ROOT / "README.md").read_text(encoding="utf-8")).encode()


def _field(name):
    found = re.search(rf'^{name} = "([^"]+)"$', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE)
    return found.group(1)


def _digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
