import type { ComponentChildren, InputHTMLAttributes } from 'preact';

export type FieldProps = {
  readonly label: string;
  readonly name: string;
  readonly value?: string | undefined;
  readonly type?: 'text' | 'search' | 'url' | 'number' | 'password' | 'datetime-local' | 'date';
  /** A choice instead of a text. */
  readonly options?: readonly { readonly value: string; readonly text: string }[];
  /** A text of several lines instead. */
  readonly lines?: number;
  readonly hint?: ComponentChildren;
  readonly required?: boolean;
  readonly placeholder?: string;
  readonly autocomplete?: string;
  readonly maxLength?: number;
  /** Of a number or a time. */
  readonly step?: string;
  readonly min?: string;
  readonly max?: string;
};

/** A field of a form, with its label. */
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

/** A check box with its label. It sends `true` if it is ticked, else nothing. */
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

/** The id of the element that the filters of a page change. */
const resultsId = 'results';

/** The filters of a list: a form that leads to the same page. With scripts, only the `Results` are replaced. */
export const FilterBar = ({
  action,
  children,
  clear,
}: {
  readonly action: string;
  readonly children: ComponentChildren;
  /** The URL without filters, if there are any. */
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
  /** Sent with the form. */
  readonly hidden?: Readonly<Record<string, string | undefined>>;
  readonly tone?: 'primary' | 'danger' | 'plain';
  /** Fields before the button. */
  readonly children?: ComponentChildren;
};

/** A form that does something, by POST. What cannot be undone needs a `Confirm` page first. */
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
  /** The POST that does it. */
  readonly action: string;
  readonly label: string;
  readonly hidden?: Readonly<Record<string, string | undefined>>;
  /** One sentence each. */
  readonly consequences: readonly ComponentChildren[];
  /** The page to which the caller can go back. */
  readonly cancel: string;
  /** Cannot be undone. */
  readonly danger?: boolean;
  /** Further fields, such as a text to repeat. */
  readonly children?: ComponentChildren;
};

/** The content of a page that asks before an action and says what it will do. */
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
