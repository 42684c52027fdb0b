/**
 * What may be larger than its place.
 * @param {{ label: string, class?: string, name?: string, children: import('preact').ComponentChildren }}
 *   props
 */
export const Scrolling = ({ label, class: kind, name, children }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
  <section class={kind} tabIndex={0} aria-label={label} data-table={name}>
    {children}
  </section>
);
