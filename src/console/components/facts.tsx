import type { ComponentChildren } from 'preact';

export type Fact = readonly [label: string, value: ComponentChildren];

/** Properties of one object. A value of null or undefined is shown as a dash. */
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

/** An ID or a URL in full, or shortened in the middle of a table. It is selected with one click. */
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
