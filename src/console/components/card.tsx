import type { ComponentChildren } from 'preact';
import { prettyJson } from './pretty-json.js';
import type { Tone } from './tone.js';

export const Card = ({
  id,
  title,
  actions,
  children,
}: {
  /** For links to it. */
  readonly id?: string;
  readonly title: string;
  /** Beside the heading. */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}) => (
  <section class="card" id={id}>
    <header class="card-head">
      <h2>{title}</h2>
      {actions && <div class="card-actions">{actions}</div>}
    </header>
    {children}
  </section>
);

export type Stat = {
  readonly label: string;
  readonly value: ComponentChildren;
  /** Below the value. */
  readonly note?: ComponentChildren;
  readonly tone?: Tone;
  readonly href?: string;
};

/** Figures side by side. */
export const Stats = ({ stats }: { readonly stats: readonly Stat[] }) => (
  <dl class="stats">
    {stats.map(({ label, value, note, tone, href }) => (
      <div key={label} class={tone === undefined ? 'stat' : `stat ${tone}`}>
        <dt>{href === undefined ? label : <a href={href}>{label}</a>}</dt>
        <dd class="stat-value">{value}</dd>
        {note && <dd class="stat-note">{note}</dd>}
      </div>
    ))}
  </dl>
);

/** States what is missing and the next step. */
export const Empty = ({ title, children }: { readonly title: string; readonly children?: ComponentChildren }) => (
  <div class="empty">
    <p class="empty-title">{title}</p>
    {children}
  </div>
);

/** A text to copy, such as a command. */
export const Copyable = ({ text }: { readonly text: string }) => (
  <div class="copyable">
    <pre tabindex={0}>
      <code>{text}</code>
    </pre>
    <button type="button" class="quiet small" data-copy={text} hidden>
      Copy
    </button>
  </div>
);

export const CopyableJson = ({ value }: { readonly value: unknown }) => <Copyable text={prettyJson(value)} />;

export const Json = ({ value }: { readonly value: unknown }) => (
  <pre class="json" tabindex={0}>
    <code>{JSON.stringify(value, null, 2)}</code>
  </pre>
);

/** Links to views of one object. */
export const Tabs = ({
  label,
  tabs,
}: {
  readonly label: string;
  readonly tabs: readonly { readonly text: string; readonly href: string; readonly current: boolean }[];
}) => (
  <nav class="tabs" aria-label={label}>
    {tabs.map(({ text, href, current }) => (
      <a key={href} href={href} aria-current={current ? 'page' : undefined}>
        {text}
      </a>
    ))}
  </nav>
);

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
