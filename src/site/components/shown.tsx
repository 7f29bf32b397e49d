import type { ComponentChildren } from 'preact';
import { usePage } from '../page-context.js';
import { Facts, Id } from './card.js';
import { numberText, Time } from './time.js';
import { Badge, type Tone } from './tone.js';

type Name<Row> = keyof Row & string;

/** A field of an answer, which is shown by its name and value, or a function of the row. */
type Show<Row> = Name<Row> | ((row: Row) => ComponentChildren);

/** A cell under a heading, or a fact behind a label. */
export type Shown<Row> = Show<Row> | ShownPart<Row>;

/** Cells by heading, or facts by label. */
export type ShownFields<Row> = Readonly<Record<string, Shown<Row> | undefined>>;

export type ShownPart<Row> = {
  show: Show<Row>;
  /** Text for null, instead of a dash. */
  none?: string;
  /** The distance of a time from now. */
  relative?: boolean;
  /** Right-aligned, as numbers are. */
  numeric?: boolean;
  /** A heading before it on phones, as before numbers: it says too little without one. */
  headed?: boolean;
  /** Takes the remaining width, and is cut off rather than wrapped. */
  wide?: boolean;
};

export const partOf = <Row,>(shown: Shown<Row>): ShownPart<Row> =>
  typeof shown === 'object' ? shown : { show: shown };

const tones: Readonly<Record<string, Tone>> = {
  active: 'good',
  completed: 'good',
  current: 'good',
  declared: 'good',
  running: 'info',
  pending: 'info',
  expired: 'warn',
  inactive: 'warn',
  registered: 'warn',
  missing: 'bad',
};

/** A state of an object, as all pages show it. */
export const StateWord = ({ state }: { state: string }) => <Badge tone={tones[state] ?? 'neutral'}>{state}</Badge>;

/** The organisation, with a link for callers of every one. */
function Organisation({ orgId }: { orgId: string }) {
  const at = usePage();
  return at.caller.orgId === null ? <a href={at.url('/organisations/show', { orgId })}>{orgId}</a> : orgId;
}

export function ListenerLink({ listenerId, name = listenerId }: { listenerId: string; name?: string }) {
  return <Id value={name} href={usePage().url(`/listeners/${encodeURIComponent(listenerId)}`)} />;
}

const isTime = (name: string): boolean => /(At|^at|^since|^from|^to)$/.test(name);

const byName: Readonly<Record<string, (value: string) => ComponentChildren>> = {
  state: (state) => <StateWord state={state} />,
  orgId: (orgId) => <Organisation orgId={orgId} />,
  listenerId: (listenerId) => <ListenerLink listenerId={listenerId} />,
  sessionId: (id) => <Id value={id} />,
  stream: (stream) => <Id value={stream} />,
};

/** Undefined for none, which is shown as a dash. */
function valueText(name: string, value: unknown, relative: boolean): ComponentChildren {
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'number') return numberText(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.join(', ');
  if (typeof value === 'object') return JSON.stringify(value);
  const text = String(value);
  if (isTime(name)) return <Time at={text} relative={relative} />;
  return byName[name]?.(text) ?? text;
}

/** The content of a cell, or of a fact; undefined: none. */
export function shownOf<Row>(row: Row, shown: Shown<Row>): ComponentChildren {
  const { show, none, relative = false } = partOf(shown);
  return (typeof show === 'function' ? show(row) : valueText(show, row[show as keyof Row], relative)) ?? none;
}

/** Fields of an answer by label, or functions of it; without labels whose field is undefined. */
export const FactsOf = <Row,>({ of: row, facts }: { of: Row; facts: ShownFields<NoInfer<Row>> }) => (
  <Facts
    facts={Object.fromEntries(
      Object.entries(facts).flatMap(([label, shown]) => (shown === undefined ? [] : [[label, shownOf(row, shown)]])),
    )}
  />
);
