globalThis.main();
