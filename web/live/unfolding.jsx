import { useState } from 'preact/hooks';

/**
 * Details that are made when they are opened: what nobody looks at costs nothing.
 * @param {object} props
 * @param {string} props.title
 * @param {string} [props.class]
 * @param {(isOpen: boolean) => void} [props.onToggle]
 * @param {() => import('preact').ComponentChildren} props.children
 */
export function Unfolding({ title, class: kind, onToggle, children }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      class={kind}
      onToggle={({ currentTarget: { open } }) => {
        setOpen(open);
        onToggle?.(open);
      }}
    >
      <summary>{title}</summary>
      {isOpen && children()}
    </details>
  );
}
