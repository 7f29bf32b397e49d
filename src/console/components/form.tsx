import type { ComponentChildren, InputHTMLAttributes } from 'preact';

export type FieldProps = {
  readonly label: string;
  readonly name: string;
  readonly value?: string | undefined;
  readonly type?: 'text' | 'search' | 'url' | 'number' | 'password' | 'datetime-local' | 'date';
  /** A choice instead of a text. */
  readonly options?: readonly { readonly value: string; readonly text: string }[];
  /** Several lines. */
  readonly lines?: number;
  readonly hint?: ComponentChildren;
  readonly required?: boolean;
  readonly placeholder?: string;
  readonly autocomplete?: string;
  readonly maxLength?: number;
  /** For numbers and times. */
  readonly step?: string;
  readonly min?: string;
  readonly max?: string;
};

export function Field({ label, hint, ...props }: FieldProps) {
  const id = `field-${props.name}`;
  const hintId = hint === undefined ? undefined : `${id}-hint`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <Control {...props} id={id} hintId={hintId} />
      {hint !== undefined && (
        <p id={hintId} class="hint">
          {hint}
        </p>
      )}
    </div>
  );
}

type ControlProps = Omit<FieldProps, 'label' | 'hint'> & { readonly id: string; readonly hintId: string | undefined };

function Control({ id, hintId, options, lines, type = 'text', value = '', maxLength, ...props }: ControlProps) {
  const common = { ...props, id, 'aria-describedby': hintId };
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
  const input = { ...common, type, value, maxLength, spellcheck: false } as InputHTMLAttributes<HTMLInputElement>; // `type` is no discriminant here
  return <input {...input} />;
}

/** Sends `true` if ticked, else nothing. */
export const CheckBox = ({
  label,
  name,
  value = 'true',
  checked = false,
}: {
  readonly label: string;
  readonly name: string;
  readonly value?: string;
  readonly checked?: boolean;
}) => (
  <label class="check">
    <input type="checkbox" name={name} value={value} checked={checked} /> {label}
  </label>
);

const resultsId = 'results';

/** A form that leads to the same page; with scripts, it replaces only the `Results`. */
export const FilterBar = ({
  action,
  children,
  clear,
}: {
  readonly action: string;
  readonly children: ComponentChildren;
  /** Without filters. */
  readonly clear?: string | undefined;
}) => (
  <search>
    <form
      class="filters"
      method="get"
      action={action}
      data-hx-get={action}
      data-hx-target={`#${resultsId}`}
      data-hx-select={`#${resultsId}`}
      data-hx-swap="outerHTML"
      data-hx-push-url="true"
      data-hx-sync="this:replace"
      data-hx-trigger="submit, change"
    >
      {children}
      <div class="filter-buttons">
        <button type="submit">Apply</button>
        {clear && <a href={clear}>Clear</a>}
      </div>
    </form>
  </search>
);

/** Replaced by the filters of a page. */
export const Results = ({ children }: { readonly children: ComponentChildren }) => (
  <div id={resultsId} class="results" aria-live="polite">
    {children}
  </div>
);

export type ActionFormProps = {
  readonly action: string;
  readonly label: string;
  readonly hidden?: Readonly<Record<string, string | undefined>>;
  readonly tone?: 'primary' | 'danger' | 'plain';
  readonly children?: ComponentChildren;
};

/** An action by POST. An irreversible one needs a `Confirm` page first. */
export const ActionForm = ({ action, label, hidden = {}, tone = 'plain', children }: ActionFormProps) => (
  <form class="action" method="post" action={action}>
    {Object.entries(hidden).map(
      ([name, value]) => value !== undefined && <input key={name} type="hidden" name={name} value={value} />,
    )}
    {children}
    <button type="submit" class={tone}>
      {label}
    </button>
  </form>
);

export type ConfirmProps = {
  readonly action: string;
  readonly label: string;
  readonly hidden?: Readonly<Record<string, string | undefined>>;
  /** One sentence each. */
  readonly consequences: readonly ComponentChildren[];
  readonly cancel: string;
  /** Cannot be undone. */
  readonly danger?: boolean;
  readonly children?: ComponentChildren;
};

/** Asks before an action, and states its consequences. */
export const Confirm = ({ consequences, cancel, danger = false, children, ...form }: ConfirmProps) => (
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
      <ActionForm {...form} tone={danger ? 'danger' : 'primary'}>
        {children}
      </ActionForm>
      <a class="button" href={cancel}>
        Cancel
      </a>
    </div>
  </section>
);
