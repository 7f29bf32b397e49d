import { type SubscriptionField, subscriptionFields } from './subscription.js';

/** A field as pages and tables show it. */
export type ShownField = {
  name: string;
  label: string;
  value: unknown;
  /** Undefined: the field has no value, which `none` says. */
  text: string | undefined;
  none: string;
  isExpression: boolean;
};

/** The fields of a subscription in an answer, or in another object that has them, such as facts of the history. */
export const shownFields = (answer: Readonly<Record<string, unknown>>): readonly ShownField[] =>
  Object.entries<SubscriptionField>(subscriptionFields).map(
    ([name, { label, text, none = 'None', isExpression = false }]) => {
      const value = answer[name] ?? null;
      return { name, label, value, text: value === null ? undefined : text(value as never), none, isExpression };
    },
  );

/** Cells of a table, by the heading of each field that has one. */
export const subscriptionColumns = Object.fromEntries(
  Object.entries<SubscriptionField>(subscriptionFields).flatMap(([name, { heading }]) =>
    heading === undefined
      ? []
      : [[heading, (row: object) => shownFields({ ...row }).find((field) => field.name === name)?.text ?? '']],
  ),
);
