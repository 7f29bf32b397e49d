import type { ComponentChildren, VNode } from 'preact';
import type { PageRequest, Query } from '../page-request.js';
import type { Link, NoticeText, PageView } from '../page-view.js';
import type { FormFields } from './route-fields.js';

/** Values of fields by name. */
export type Given = Readonly<Record<string, unknown>>;

/** An action of operators: a route, and what its pages say beside the contract. */
export type ActionSettings<Item, Answer> = {
  /** Text of the button that sends the form, and of the link to its page, unless that is `link`. */
  label: string | ((item: Item) => string);
  link?: string;
  /** Title of the page with the form; without it the action has none: its button sends it, or it is on the page `on`. */
  title?: string | ((item: Item, at: PageRequest) => string);
  /** The path of the page on which the form is. */
  on?: string;
  lead?: ComponentChildren | ((item: Item) => ComponentChildren);
  /** Reads what the action is about. */
  read?: (at: PageRequest) => Promise<Item>;
  /** The page of the item, where Cancel and the answer lead; by default that of the section. `item`: undefined for the answer. */
  above?: (at: PageRequest, item: Item | undefined) => Link;
  /** The pages above, if the first is not that of the section. */
  trail?: (at: PageRequest) => readonly Link[];
  /** Path of another page to which the answer leads. */
  to?: string;
  /** The content of the page, instead of the form. */
  shows?: (item: Item, at: PageRequest) => VNode;
  /** One sentence each: the page asks before the action. */
  consequences?: readonly ComponentChildren[] | ((item: Item, at: PageRequest) => readonly ComponentChildren[]);
  /** Cannot be undone. */
  danger?: boolean;
  primary?: boolean;
  /** See `FormProps`. */
  once?: boolean;
  class?: string;
  /** Heading of the card with the form; empty: none; without it, the form is in no card. */
  card?: string;
  fields?: FormFields<Item>;
  /** Fields that the form carries from the address of its page, besides those of the path of the route. */
  carries?: readonly string[];
  /** The request that is sent, of the fields of the form. Throws `InvalidRequest`. */
  sends?: (fields: Given, at: PageRequest) => Given | Promise<Given>;
  /** The end of the form, such as other buttons: the first one is pressed by Enter. */
  below?: () => VNode;
  /** The page of another button of the form, which changes nothing: puts the form, with what was typed, beside its result. */
  tries?: (at: PageRequest, fields: Given) => Promise<((form: VNode) => VNode) | undefined>;
  /** Runs it, if it is not one call of the route. */
  runs?: (at: PageRequest, fields: Given) => Promise<Answer>;
  /** The notice on the page to which the answer leads. */
  done?: NoticeText;
  /** The page of the answer, or another address or notice than `above` and `done`. */
  answers?: (
    answer: Answer,
    at: PageRequest,
    given: Given,
  ) => PageView | { href?: string; notice?: string } | undefined;
};

export type Action = {
  /** The button or the link to the form, with the fields of the item; null for callers who may not. */
  button: (at: PageRequest, fields?: Query, changes?: { label?: string; id?: string; class?: string }) => VNode | null;
  /** The form alone, for a page that has more. */
  form: (at: PageRequest, item?: object, hidden?: Query) => VNode;
  may: (at: PageRequest) => boolean;
};
