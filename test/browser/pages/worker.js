/** Calls what the page names: see browser.js. */
self.onmessage = async ({ data: { module, name, args } }) => {
  try {
    const functions = await import(module);
    postMessage({ value: await functions[name](...args) });
  } catch (error) {
    postMessage({ error });
  }
};
