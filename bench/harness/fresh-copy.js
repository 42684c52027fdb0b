let copies = 0;

/**
 * A module once more, with functions of its own: an engine that saw several implementations pass
 * through the same loop would inline none of them.
 * @param {string | URL} url of a module that imports nothing
 * @returns {Promise<any>}
 */
export const freshCopy = (url) => import(/* @vite-ignore */ `${url}?copy=${++copies}`);
