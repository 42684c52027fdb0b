/** What tools/web-folder.js makes. */

declare module 'built:catalogue' {
  const catalogue: import('./run/variants.js').Catalogue;
  export default catalogue;
}

declare module 'built:about' {
  const about: import('./run/context.js').About;
  export default about;
}

declare module 'built:files' {
  /** Paths from the page's folder. */
  export const files: string[];
  /** Of all their contents. */
  export const version: string;
}
