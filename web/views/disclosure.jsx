import { useSignal } from '@preact/signals';

/** @import { ComponentChildren } from 'preact' */

/**
 * What is made only once it is opened.
 * @param {object} props
 * @param {ComponentChildren} props.summary
 * @param {() => ComponentChildren} props.children
 * @param {string} [props.class]
 * @param {boolean} [props.open] at first
 */
export function Disclosure({ summary, children, class: kind, open = false }) {
  const isOpen = useSignal(open);
  return (
    <details
      class={kind}
      open={isOpen.value}
      onToggle={({ currentTarget }) => {
        isOpen.value = currentTarget.open;
      }}
    >
      <summary>{summary}</summary>
      {isOpen.value && children()}
    </details>
  );
}
