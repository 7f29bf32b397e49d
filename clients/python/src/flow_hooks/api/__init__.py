# Made from /openapi.json by tools/generate.py. Do not edit.
