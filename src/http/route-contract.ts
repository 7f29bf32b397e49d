import type { z } from 'zod';
import type { OperatorSubject } from './api-description/texts.js';
import type { ErrorCode } from './errors.js';

/**
 * A route as a value, declared apart from its handler. Routing, validation of input, authorisation, the API description, and calls in
 * the same process are derived from it. `Access`: what a caller needs; each module has its own type.
 */
export type RouteContract<
  Access = unknown,
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
  Answer extends z.ZodType = z.ZodType,
> = {
  /** Name of the method of a client: `startReplay`. */
  name: string;
  method: 'get' | 'post';
  /** The whole path, with parameters as `:name`. */
  path: string;
  subject: OperatorSubject;
  summary: string;
  description?: string;
  params: Params;
  query: Query;
  /** Undefined: the route reads no body. */
  body: Body | undefined;
  bodyExample?: Readonly<Record<string, unknown>>;
  answer: AnswerContract<Answer>;
  /** Codes of the errors that the route has beyond those of every route of its module. */
  errors: readonly ErrorCode[];
  access: Access;
};

export type AnswerContract<Schema extends z.ZodType = z.ZodType> = {
  status?: number;
  /** Undefined: the API description takes the status' own words. */
  description?: string;
  schema: Schema;
  example: AnswerOf<Schema>;
  alternative?: {
    status: number;
    description: string;
    example: AnswerOf<Schema>;
    when(answer: AnswerOf<Schema>): boolean;
  };
};

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
