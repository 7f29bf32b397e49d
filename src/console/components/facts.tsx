import type { ComponentChildren } from 'preact';

export type Fact = readonly [label: string, value: ComponentChildren];

/** Null and undefined are shown as a dash. */
export const Facts = ({ facts }: { readonly facts: readonly Fact[] }) => (
  <dl class="facts">
    {facts.map(([label, value]) => (
      <div key={label}>
        <dt>{label}</dt>
        <dd>{value ?? <span class="muted">–</span>}</dd>
      </div>
    ))}
  </dl>
);

/** In full, or shortened in the middle of a table; selected with one click. */
export const Id = ({ value, href }: { readonly value: string; readonly href?: string }) =>
  href === undefined ? (
    <code class="id" title={value}>
      {value}
    </code>
  ) : (
    <a class="id" href={href} title={value}>
      {value}
    </a>
  );
