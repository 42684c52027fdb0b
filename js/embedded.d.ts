/** The module, in base64 and packed by raw DEFLATE; made by the build. */
export const packed: string;
/** Bytes of the module. */
export const size: number;
