"""One stub library in place of the CUDA libraries, so that a CUDA build of torch loads on a machine without CUDA.

usage: stub_cuda.py TORCH_LIB_DIR WORK_DIR
Every function returns 1 (an error code). libcudart is not stubbed: put the real one beside the others.
"""
import collections
import glob
import os
import re
import subprocess
import sys

CUDA_SYMBOL = re.compile(r"^(cublas|cudnn|cusparse|cufft|cuFile|curand|cusolver|nccl|nvrtc|nvJitLink|nvshmem|cupti|cu[A-Z])")
CUDA_LIBRARY = re.compile(r"NEEDED.*\[(lib(?:cu|nc|nv)[^\]]*)\]")


def lines_of(*argv):
    return subprocess.run(argv, capture_output=True, text=True, check=True).stdout.splitlines()


def wanted(lib):
    """Names of the missing libraries, and {symbol: version} of what torch takes from them."""
    libraries, symbols = set(), {}
    for pattern in ("libtorch*.so", "libc10_cuda.so", "libcaffe2_nvrtc.so"):
        for path in glob.glob(os.path.join(lib, pattern)):
            for line in lines_of("readelf", "-d", path):
                found = CUDA_LIBRARY.search(line)
                if found and not found[1].startswith(("libcudart", "libcuda.so")):
                    libraries.add(found[1])
            for line in lines_of("nm", "-D", "--undefined-only", path):
                words = line.split()
                if len(words) >= 2 and CUDA_SYMBOL.match(words[1]):
                    name, _, version = words[1].partition("@")
                    version = version.lstrip("@")
                    if version or name not in symbols:
                        symbols[name] = version
    return libraries, symbols


def build(symbols, lib, work):
    by_version = collections.defaultdict(list)
    for name, version in symbols.items():
        by_version[version].append(name)
    with open(os.path.join(work, "stub.c"), "w") as out:
        out.writelines(f"int {name}(void){{return 1;}}\n" for name in sorted(symbols))
    with open(os.path.join(work, "stub.map"), "w") as out:  # glibc stops a program whose version node is missing
        out.writelines(f"{version} {{ global: {' '.join(name + ';' for name in sorted(names))} }};\n"
                       for version, names in by_version.items() if version)
    subprocess.check_call(["gcc", "-w", "-fno-builtin", "-shared", "-fPIC", "-Wl,-soname,libcudastub.so",
                           "-Wl,--version-script=" + os.path.join(work, "stub.map"),
                           "-o", os.path.join(lib, "libcudastub.so"), os.path.join(work, "stub.c")])


def main(lib, work):
    libraries, symbols = wanted(lib)
    build(symbols, lib, work)
    for name in libraries:
        path = os.path.join(lib, name)
        if os.path.lexists(path):
            os.remove(path)
        os.symlink("libcudastub.so", path)
    print(f"stubbed {len(symbols)} symbols of {len(libraries)} CUDA libraries")


main(*sys.argv[1:])
