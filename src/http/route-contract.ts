import type { z } from 'zod';
import type { OperatorSubject, SecurityScheme, Tag } from './api-description/texts.js';
import { answerFailuresWith500, type Context, type Routes } from './context.js';
import type { DescribedError } from './errors.js';

/** A route as its users see it: a value, from which the router and the API description are made. */
export type Route = {
  /** Name of the method of a client, `startReplay`, and the beginning of the names of its types. */
  name: string;
  method: 'get' | 'post';
  /** Path, with parameters as `:name`. */
  path: string;
  tag: Tag;
  summary: string;
  description?: string | undefined;
  /** The credentials, one of which is sent, and the role or the scopes that they must have. `anonymous`: none is needed. */
  credentials: Partial<Readonly<Record<SecurityScheme | 'anonymous', readonly string[]>>>;
  headers?: z.ZodObject;
  params?: z.ZodObject;
  query?: z.ZodObject;
  /** Undefined: the route reads no body. */
  body?: z.ZodType | undefined;
  bodyExample?: unknown;
  /** Media types; without them JSON. */
  bodyTypes?: readonly string[];
  bodyAlternatives?: readonly { types: readonly string[]; schema: z.ZodType; example: unknown }[];
  answer: AnswerDescription & {
    status?: number;
    alternative?: { status: number; description: string; example: unknown };
  };
  /** Answers with other statuses, except for `errors`. */
  otherAnswers?: Readonly<Record<number, AnswerDescription>>;
  /** Errors of the handler; those of every route are added. */
  errors: readonly DescribedError[];
  /**
   * Errors of every route that are added: all by default; `failures as 500`: a failing store is a 500, as the specification of the
   * platforms' routes requires; `none`: the route lists all of its errors itself.
   */
  commonErrors?: 'failures as 500' | 'none';
};

export type AnswerDescription = {
  /** Undefined: that it is done. */
  description?: string;
  type?: string;
  /** Undefined: no body, or not one that is described. */
  schema?: z.ZodType;
  example?: unknown;
  /** Codes of an answer that is an error with its own body. */
  errorCodes?: readonly string[];
  /** Another media type, for callers who prefer it. */
  alternatively?: string;
  headers?: Readonly<Record<string, string>>;
};

/** Binds handlers to the method and the path of a route. */
export function serve(
  router: Routes,
  route: Route,
  ...handlers: ((ctx: Context, next: () => Promise<unknown>) => unknown)[]
) {
  const failing = route.commonErrors === 'failures as 500' ? [answerFailuresWith500] : [];
  router[route.method](route.path, ...failing, ...handlers);
}

/** The route below the prefix of the platforms' routes. */
export const below =
  (prefix: string) =>
  <Each extends Route>(route: Each): Each => ({ ...route, path: `${prefix}${route.path}` });

/**
 * A route of which validation of input, authorisation, and calls in the same process are derived too. `Access`: the permission that a
 * caller needs; each module has its own type.
 */
export interface RouteContract<
  Access = unknown,
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
  Answer extends z.ZodType = z.ZodType,
> extends Route {
  subject: OperatorSubject;
  params: Params;
  query: Query;
  body: Body | undefined;
  bodyExample?: Readonly<Record<string, unknown>>;
  answer: AnswerContract<Answer>;
  access: Access;
}

export type AnswerContract<Schema extends z.ZodType = z.ZodType> = AnswerDescription & {
  status?: number;
  schema: Schema;
  /** Parts of the example that differ from the usual values of their fields. */
  example?: ExampleParts<AnswerOf<Schema>>;
  alternative?: {
    status: number;
    description: string;
    example: ExampleParts<AnswerOf<Schema>>;
    when(answer: AnswerOf<Schema>): boolean;
  };
};
/** Parts of a value that are given for an example. */
export type ExampleParts<Value> = Value extends readonly (infer Item)[]
  ? readonly ExampleParts<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]?: ExampleParts<Value[Name]> }
    : Value;

/** The value that a handler returns; it may share it. */
export type AnswerOf<Schema extends z.ZodType> = DeepReadonly<z.output<Schema>>;

type DeepReadonly<Value> = Value extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: DeepReadonly<Value[Name]> }
    : Value;

export type RouteInput<Route extends RouteContract> = {
  params: z.output<Route['params']>;
  query: z.output<Route['query']>;
  body: z.output<NonNullable<Route['body']>>;
};

/** Input of a route as a caller sends it: a part without required fields may be left out. */
export type RouteRequest<Route extends RouteContract> = Part<'params', z.input<Route['params']>> &
  Part<'query', z.input<Route['query']>> &
  Part<'body', z.input<NonNullable<Route['body']>>>;

type Part<Name extends string, Value> =
  Record<never, never> extends Value ? { readonly [Key in Name]?: Value } : { readonly [Key in Name]: Value };

export type RouteAnswer<Route extends RouteContract> = AnswerOf<Route['answer']['schema']>;

export function statusOf({ status = 200, alternative }: AnswerContract, answer: unknown): number {
  return alternative?.when(answer as never) ? alternative.status : status; // the handler's type says that it fits
}
