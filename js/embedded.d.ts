/** The module; made by the build. */
export const base64: string;
