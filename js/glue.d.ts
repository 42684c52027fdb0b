/**
 * Emscripten's glue, made by the build: instantiates a module in the memory given and registers
 * what Embind binds, as properties of `module`, before it returns.
 */
export default function createGlue(module: {
  wasmMemory: WebAssembly.Memory;
  instantiateWasm(
    imports: WebAssembly.Imports,
    done: (instance: WebAssembly.Instance, module: WebAssembly.Module) => void,
  ): WebAssembly.Exports;
}): Promise<unknown>;
