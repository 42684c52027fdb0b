/** Something did otherwise than its model. The message has the smallest case, and how to repeat it. */
export class Failure extends Error {}
