import type { ComponentChildren } from 'preact';
import { shownFields } from '../../../listeners/shown-subscription.js';
import { numberText, TextWithTimes, upperFirst } from '../../../site/components/time.js';
import { failingText } from '../listeners/failing-text.js';

type Facts = Readonly<Record<string, unknown>> | null;

/** Fields that say where something belongs, which the rest of the row shows. */
const places: ReadonlySet<string> = new Set(['orgId', 'hookUrl', 'listenerId']);

/** Fields with JSON of users, which is shown as it is. */
const ofUsers: ReadonlySet<string> = new Set(['schema', 'example']);

/** True of a new object's usual values, which only the raw entry shows. */
const isUnsaid = (name: string, value: unknown): boolean =>
  value === false || value === 'active' || ['secretVersion', 'keyGeneration'].includes(name);

const fieldNames: ReadonlyMap<string, string> = new Map([
  ...shownFields({}).map(({ name, label }) => [name, label] as const),
  ['userId', 'User'],
]);

/** `previousSecretUntil`: Previous secret until; `redirectUris`: Redirect URIs. */
const labelOf = (name: string): string =>
  fieldNames.get(name) ??
  upperFirst(name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`))
    .replace(/\bid$/i, 'ID')
    .replace(/\buris$/i, 'URIs');

/** Maximum number of characters of a value, such as a schema, that are shown at first. */
const maxShown = 200;

function Expression({ text }: { text: string }) {
  if (text.length <= maxShown) return <code>{text}</code>;
  return (
    <details>
      <summary>
        <code>{text.slice(0, maxShown)}…</code>
      </summary>
      <code>{text}</code>
    </details>
  );
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const isNone = (value: unknown): boolean =>
  value === null || value === undefined || (isObject(value) && Object.values(value).every(isNone));

/** JSON of users may be or hold nothing but null: a filter for a value that is null. */
const isAbsent = (name: string, value: unknown): boolean =>
  value === null || value === undefined || (!ofUsers.has(name) && !fieldNames.has(name) && isNone(value));

/** A field in words; another key, such as a thumbprint or the category of a stream, as it is. */
const Name = ({ name }: { name: string }): ComponentChildren =>
  /^[a-z]{1,20}([A-Z][a-z]{1,20}){0,4}$/.test(name) ? labelOf(name) : <code>{name}</code>;

/** A value in words; an object by its fields that have a value. */
function InWords({ value }: { value: unknown }): ComponentChildren {
  if (isNone(value)) return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'string') return <TextWithTimes text={value} />;
  if (typeof value === 'number') return numberText(value);
  if (!isObject(value)) return String(value);
  const parts = Array.isArray(value)
    ? value.map((each: unknown) => <InWords value={each} />)
    : Object.entries(value)
        .filter(([, each]) => !isNone(each))
        .map(([name, each]) => (
          <>
            <Name name={name} /> <InWords value={each} />
          </>
        ));
  const separator = Array.isArray(value) && value.some(isObject) ? '; ' : ', ';
  return parts.map((part, index) => [index > 0 && separator, part]);
}

/** The value of a field as the page of a listener shows it. */
function Value({ name, value }: { name: string; value: unknown }): ComponentChildren {
  if (value === null || value === undefined) return 'none';
  const field = shownFields({ [name]: value }).find((each) => each.name === name);
  if (field?.text !== undefined) return field.isExpression ? <Expression text={field.text} /> : field.text;
  if (ofUsers.has(name)) return <Expression text={JSON.stringify(value)} />;
  if (name === 'failing') return <TextWithTimes text={failingText(value) ?? 'none'} />;
  return <InWords value={value} />;
}

const isEqual = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

/** `State: active → paused`. A removal shows nothing. */
export function Changes({ before, after }: { before: Facts; after: Facts }) {
  if (after === null) return <span class="muted">{before === null ? '–' : 'removed'}</span>;
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after)])];
  const changed = names.filter(
    (name) =>
      !places.has(name) &&
      !isEqual(before?.[name], after[name]) &&
      (before !== null || !(isUnsaid(name, after[name]) || isAbsent(name, after[name]))),
  );
  if (changed.length === 0) return <span class="muted">–</span>;
  return (
    <ul class="changes">
      {changed.map(
        (name): ComponentChildren => (
          <li key={name}>
            <span class="muted">{labelOf(name)}:</span>{' '}
            {before !== null && !isEqual(before[name], null) && (
              <>
                <Value name={name} value={before[name]} /> →{' '}
              </>
            )}
            <Value name={name} value={after[name]} />
          </li>
        ),
      )}
    </ul>
  );
}
