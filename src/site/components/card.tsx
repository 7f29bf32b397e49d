import type { ComponentChildren } from 'preact';
import { usePage } from '../page-context.js';
import { prettyJson } from './pretty-json.js';
import type { Tone } from './tone.js';

export const Card = ({
  id,
  title,
  actions,
  children,
}: {
  /** Target of links to it. */
  id?: string;
  title: string;
  /** Shown beside the heading. */
  actions?: ComponentChildren;
  children: ComponentChildren;
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
  label: string;
  value: ComponentChildren;
  /** Shown below the value. */
  note?: ComponentChildren;
  tone?: Tone;
  href?: string;
};

/** Figures side by side. */
export const Stats = ({ stats }: { stats: readonly Stat[] }) => (
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

export type EmptyProps = {
  title: string;
  text?: string;
  /** Command of the command line for the next step. */
  command?: string;
  children?: ComponentChildren;
};

/** States what is missing and the next step. */
export const Empty = ({ title, text, command, children }: EmptyProps) => (
  <div class="empty">
    <p class="empty-title">{title}</p>
    {text !== undefined && <p>{text}</p>}
    {command !== undefined && <Command command={command} />}
    {children}
  </div>
);

const Command = ({ command }: { command: string }) => <Copyable text={usePage().commands.cli(command)} />;

/** A text to copy, such as a command. */
export const Copyable = ({ text }: { text: string }) => (
  <div class="copyable">
    <pre tabindex={0}>
      <code>{text}</code>
    </pre>
    <button type="button" class="quiet small" data-copy={text} hidden>
      Copy
    </button>
  </div>
);

/** Secrets of an answer, which no later page shows, and the way on. */
export const ShownOnce = ({
  texts,
  href,
  text,
  primary = false,
}: {
  texts: readonly string[];
  href: string;
  text: string;
  primary?: boolean;
}) => (
  <>
    {texts.map((each) => (
      <Copyable key={each} text={each} />
    ))}
    <p class="buttons">
      <a class={primary ? 'button primary' : 'button'} href={href}>
        {text}
      </a>
    </p>
  </>
);

export const CopyableJson = ({ value }: { value: unknown }) => <Copyable text={prettyJson(value)} />;

export const Json = ({ value }: { value: unknown }) => (
  <pre class="json" tabindex={0}>
    <code>{JSON.stringify(value, null, 2)}</code>
  </pre>
);

/** Links to views of one object. */
export const Tabs = ({
  label,
  tabs,
}: {
  label: string;
  tabs: readonly { text: string; href: string; current: boolean }[];
}) => (
  <nav class="tabs" aria-label={label}>
    {tabs.map(({ text, href, current }) => (
      <a key={href} href={href} aria-current={current ? 'page' : undefined}>
        {text}
      </a>
    ))}
  </nav>
);

/** Values by label. Null and undefined are shown as a dash. */
export const Facts = ({ facts }: { facts: Readonly<Record<string, ComponentChildren>> }) => (
  <dl class="facts">
    {Object.entries(facts).map(([label, value]) => (
      <div key={label}>
        <dt>{label}</dt>
        <dd>{value ?? <span class="muted">–</span>}</dd>
      </div>
    ))}
  </dl>
);

/** ID in full, or shortened in the middle of a table; selected with one click. */
export const Id = ({ value, href }: { value: string; href?: string }) =>
  href === undefined ? (
    <code class="id" title={value}>
      {value}
    </code>
  ) : (
    <a class="id" href={href} title={value}>
      {value}
    </a>
  );
