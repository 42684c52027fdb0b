/** Resident memory in MiB; undefined in a page, which cannot ask for it. */
export const resident = () => {
  const bytes = globalThis.process?.memoryUsage?.rss();
  return bytes === undefined ? undefined : bytes / 2 ** 20;
};
