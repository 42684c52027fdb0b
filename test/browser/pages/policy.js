/** What the page's policy has refused. */
globalThis.refused = [];
addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
  globalThis.refused.push(`${violatedDirective} ${blockedURI}`);
});
