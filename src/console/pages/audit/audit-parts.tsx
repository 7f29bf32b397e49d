import type { ComponentChildren } from 'preact';
import { Tabs } from '../../../site/components/card.js';
import type { PageRequest } from '../../../site/page-request.js';

export const section = '/audit';

/** The views of the audit. Those of the whole service are not for a caller of one organisation. */
const tabs = [
  { text: 'History', path: '', ofService: false },
  { text: 'Difference', path: '/difference', ofService: false },
  { text: 'At a time', path: '/as-of', ofService: false },
  { text: 'Service', path: '/service', ofService: true },
  { text: 'Seals', path: '/seals', ofService: true },
] as const;

export const AuditTabs = ({ at, current }: { at: PageRequest; current: (typeof tabs)[number]['path'] }) => (
  <Tabs
    label="Audit"
    tabs={tabs
      .filter(({ ofService }) => !ofService || at.caller.orgId === null)
      .map(({ text, path, ofService }) => ({
        text,
        href: at.url(`${section}${path}`, ofService ? {} : { orgId: at.query.text('orgId') }),
        current: path === current,
      }))}
  />
);

type Facts = Readonly<Record<string, unknown>> | null;

/** Fields that say where something belongs, which the rest of the row shows. */
const places: ReadonlySet<string> = new Set(['orgId', 'hookUrl', 'listenerId']);

/** True of a new object's usual values, which only the raw entry shows. */
const isUnsaid = (name: string, value: unknown): boolean =>
  value === false || value === 'active' || ['secretVersion', 'keyGeneration'].includes(name);

/** `subscriptionType`: subscription type. */
const wordsOf = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** Maximum number of characters of a value, such as a schema, that are shown at first. */
const maxShown = 200;

function shown(value: unknown): ComponentChildren {
  const text = textOf(value);
  if (text.length <= maxShown) return text;
  return (
    <details>
      <summary>{text.slice(0, maxShown)}…</summary>
      {text}
    </details>
  );
}

function textOf(value: unknown): string {
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

const isEqual = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

/** `state: active → paused`. A removal shows nothing. */
export function Changes({ before, after }: { before: Facts; after: Facts }) {
  if (after === null) return <span class="muted">{before === null ? '–' : 'removed'}</span>;
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after)])];
  const changed = names.filter(
    (name) =>
      !places.has(name) && !isEqual(before?.[name], after[name]) && (before !== null || !isUnsaid(name, after[name])),
  );
  if (changed.length === 0) return <span class="muted">–</span>;
  return (
    <ul class="changes">
      {changed.map(
        (name): ComponentChildren => (
          <li key={name}>
            <span class="muted">{wordsOf(name)}</span>{' '}
            {before !== null && !isEqual(before[name], null) && <>{shown(before[name])} → </>}
            {shown(after[name])}
          </li>
        ),
      )}
    </ul>
  );
}
