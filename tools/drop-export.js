/**
 * Takes an export, if there is such, out of a module, so that wasm-opt can drop what nothing else needs.
 *
 *   node tools/drop-export.js <name> <in.wasm> <out.wasm>
 */

import { readFileSync, writeFileSync } from 'node:fs';
import binaryen from 'binaryen';

const { Features } = binaryen;
const [name, from, to] = process.argv.slice(2);
const module = binaryen.readBinary(readFileSync(from));
// Those that the module is compiled with: written with all, it would use encodings of later ones.
module.setFeatures(
  Features.BulkMemory | Features.MutableGlobals | Features.SignExt | Features.NontrappingFPToInt,
);
if (module.getExport(name)) module.removeExport(name);
writeFileSync(to, module.emitBinary());
