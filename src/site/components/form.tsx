import { randomUUID } from 'node:crypto';
import { type ComponentChildren, createContext, type FormHTMLAttributes, type InputHTMLAttributes } from 'preact';
import { useContext } from 'preact/hooks';
import type { Fields } from '../fields.js';
import { usePage } from '../page-context.js';
import { sentence } from './time.js';
import { Notice } from './tone.js';

/** Values of the fields. Of a refused form: as they were sent, with errors by field; of a filter: the query. */
const Given = createContext<{ fields: Fields; errors?: ReadonlyMap<string, string> } | undefined>(undefined);

export type FieldProps = {
  label: string;
  name: string;
  /** Replaced by the given one in a filter and in a form that was refused. */
  value?: string;
  type?: 'text' | 'search' | 'url' | 'number' | 'password' | 'datetime-local' | 'date';
  /** A choice instead of a text. */
  options?: readonly { value: string; text: string }[];
  /** Address at which the script requests values that begin as the text does: a list of texts in JSON. */
  suggestHref?: string;
  /** Several lines. */
  lines?: number;
  hint?: ComponentChildren;
  required?: boolean;
  placeholder?: string;
  autocomplete?: string;
  maxLength?: number;
  /** Step of numbers and times. */
  step?: string;
  min?: string;
  max?: string;
};

export function Field({ label, hint, value, ...props }: FieldProps) {
  const given = useContext(Given);
  const error = given?.errors?.get(props.name);
  const id = `field-${props.name}`;
  const described = [error !== undefined && `${id}-error`, hint !== undefined && `${id}-hint`].filter(Boolean);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <Control
        {...props}
        id={id}
        value={given ? given.fields.text(props.name) : value}
        aria-describedby={described.join(' ') || undefined}
        aria-invalid={error !== undefined || undefined}
      />
      <FieldError id={id} error={error} />
      {hint !== undefined && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
    </div>
  );
}

type ControlProps = Omit<FieldProps, 'label' | 'hint'> & {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
};

function Control({ options, lines, suggestHref, type = 'text', value = '', maxLength, ...common }: ControlProps) {
  if (options) {
    return (
      <select {...common}>
        {options.map((option) => (
          <option key={option.value} value={option.value} selected={option.value === value}>
            {option.text}
          </option>
        ))}
      </select>
    );
  }
  if (lines !== undefined) {
    return (
      <textarea {...common} rows={lines} maxLength={maxLength} spellcheck={false}>
        {value}
      </textarea>
    );
  }
  const time = type === 'datetime-local' && {
    'data-utc': instantText(value),
    value: value.replace(/(:00)?(\.000)?Z$/, ''),
  };
  const input = {
    ...common,
    type,
    value,
    maxLength,
    spellcheck: false,
    ...time,
    list: suggestHref && `${common.id}-values`,
    'data-suggest': suggestHref,
  } as InputHTMLAttributes<HTMLInputElement>; // `type` is no discriminant here
  return suggestHref === undefined ? (
    <input {...input} />
  ) : (
    <>
      <input {...input} />
      <datalist id={`${common.id}-values`} />
    </>
  );
}

/** Time in UTC, from which the script makes the time in the viewer's zone. */
const instantText = (text: string): string => (text === '' || text.endsWith('Z') ? text : `${text}Z`);

export type CheckBoxProps = {
  label: string;
  name: string;
  value?: string;
  checked?: boolean;
};

/** Sends `true` if ticked, else nothing. */
export function CheckBox({ label, name, value = 'true', checked = false }: CheckBoxProps) {
  const given = useContext(Given);
  return (
    <label class="check">
      <input
        type="checkbox"
        name={name}
        value={value}
        checked={given ? given.fields.all(name).includes(value) : checked}
      />{' '}
      {label}
    </label>
  );
}

type FieldErrorProps = { id: string; error: string | undefined };

/** A field with this error is described by `ID-error`. */
export const FieldError = ({ id, error }: FieldErrorProps) =>
  error === undefined ? null : (
    <p id={`${id}-error`} class="error">
      {sentence(error)}
    </p>
  );

/** Check boxes with one name. */
export function CheckBoxes({
  legend,
  name,
  all,
  ticked = [],
}: {
  legend: string;
  name: string;
  all: readonly string[];
  ticked?: readonly string[];
}) {
  const error = useContext(Given)?.errors?.get(name);
  const id = `field-${name}`;
  return (
    <fieldset aria-describedby={error === undefined ? undefined : `${id}-error`}>
      <legend>{legend}</legend>
      {all.map((value) => (
        <CheckBox key={value} name={name} value={value} label={value} checked={ticked.includes(value)} />
      ))}
      <FieldError id={id} error={error} />
    </fieldset>
  );
}

const resultsId = 'results';
/** The buttons and links beside the title of a page. */
export const pageActionsId = 'page-actions';
const clearId = 'filter-clear';

/** Parts outside of the results that depend on the filter: links with its values. */
const followFilter = [pageActionsId, clearId, 'period-links'].map((id) => `#${id}`).join(',');

/**
 * A form that leads to the same page; with scripts, it replaces only the `Results`, and the parts that follow the filter.
 * `keep`: fields that Clear keeps.
 */
export function FilterBar({
  keep = [],
  submit = 'Apply',
  children,
}: {
  keep?: readonly string[];
  submit?: string;
  children: ComponentChildren;
}) {
  const at = usePage();
  const action = at.url(at.path);
  const clear = at.url(at.path, at.query.pick(...keep));
  return (
    <search>
      <form
        class="filters"
        method="get"
        action={action}
        data-hx-get={action}
        data-hx-target={`#${resultsId}`}
        data-hx-select={`#${resultsId}`}
        data-hx-select-oob={followFilter}
        data-hx-swap="outerHTML"
        data-hx-push-url="true"
        data-hx-sync="this:replace"
        data-hx-trigger="submit, change"
      >
        <Given.Provider value={{ fields: at.query }}>{children}</Given.Provider>
        <div class="filter-buttons">
          <button type="submit">{submit}</button>
          <span id={clearId}>{clear !== at.here() && <a href={clear}>Clear</a>}</span>
        </div>
      </form>
    </search>
  );
}

/** Replaced by the filters of a page. */
export const Results = ({ children }: { children: ComponentChildren }) => (
  <div id={resultsId} class="results" aria-live="polite">
    {children}
  </div>
);

export type FormProps = Pick<FormHTMLAttributes, 'class' | 'enctype' | 'id'> & {
  /** Target of the form; undefined: the page on which it is. */
  action?: string;
  hidden?: Readonly<Record<string, string | undefined>>;
  /** Values to show instead of those of the fields, as in a form that was sent. */
  shows?: Fields;
  /** Sent again, it gets the first answer and makes nothing more. Not for a live part, which all of its viewers share. */
  once?: boolean;
  children?: ComponentChildren;
};

/** A form by POST. Where it was refused, it says why, and has the fields that were sent. */
export function Form({
  action,
  hidden = {},
  shows,
  once = false,
  class: style = 'stack',
  children,
  ...form
}: FormProps) {
  const at = usePage();
  const target = action ?? at.url(at.path);
  const refusal = at.refusal?.action === target.split('?')[0] ? at.refusal : undefined;
  return (
    <form class={style} method="post" action={target} {...form}>
      {Object.entries(hidden).map(
        ([name, value]) => value !== undefined && <input key={name} type="hidden" name={name} value={value} />,
      )}
      {once && <input type="hidden" name="once" value={randomUUID()} />}
      {refusal && <Notice tone="bad">{sentence(refusal.message)}</Notice>}
      <Given.Provider
        value={refusal ? { fields: at.form, errors: errorsOf(refusal.message) } : shows && { fields: shows }}
      >
        {children}
      </Given.Provider>
    </form>
  );
}

/** Errors by the first and the last part of a path: `redirectUris.0: must be a URL; event.type: is missing`. */
const errorsOf = (message: string): ReadonlyMap<string, string> =>
  new Map(
    message.split('; ').flatMap((part) => {
      const [, path = '', error = ''] = /^([\w.]+):? (.*)$/.exec(part) ?? [];
      const names = path.split('.');
      return [names[0] ?? '', names.at(-1) ?? ''].map((name) => [name, error] as const);
    }),
  );

/** The button that sends a form, and a link that leads back. */
export const Submit = ({ label, cancel }: { label: string; cancel?: string }) => (
  <div class="buttons">
    <button type="submit" class="primary">
      {label}
    </button>
    {cancel !== undefined && (
      <a class="button" href={cancel}>
        Cancel
      </a>
    )}
  </div>
);

export type ActionFormProps = FormProps & {
  label: string;
  tone?: 'primary' | 'danger' | 'plain';
};

/** An action by POST. An irreversible one needs a `Confirm` page first. */
export const ActionForm = ({ label, tone = 'plain', children, ...form }: ActionFormProps) => (
  <Form class="action" {...form}>
    {children}
    <button type="submit" class={tone}>
      {label}
    </button>
  </Form>
);

export type ConfirmProps = Omit<ActionFormProps, 'tone'> & {
  /** One sentence each. */
  consequences: readonly ComponentChildren[];
  cancel: string;
  /** Cannot be undone. */
  danger?: boolean;
};

/** Asks before an action, and states its consequences. */
export const Confirm = ({ consequences, cancel, danger = false, ...form }: ConfirmProps) => (
  <section class={danger ? 'card confirm danger' : 'card confirm'}>
    <h2 class="hidden">What will happen</h2>
    <ul class="consequences">
      {consequences.map((consequence, index) => (
        <li key={index}>{consequence}</li>
      ))}
    </ul>
    {danger && (
      <p>
        <strong>This cannot be undone.</strong>
      </p>
    )}
    <div class="buttons">
      <ActionForm {...form} tone={danger ? 'danger' : 'primary'} />
      <a class="button" href={cancel}>
        Cancel
      </a>
    </div>
  </section>
);
