import type { z } from 'zod';
import type { DescribedError } from '../errors.js';
import type { SecurityScheme, Tag } from './texts.js';

export type Fields = Readonly<Record<string, z.ZodType>>;

/** A route as its users see it: the API description is made from these. */
export type RouteDescription = {
  /** Name of the method in generated clients, and the beginning of the names of its types: see `RouteContract`. */
  name: string;
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  path: string;
  tag: Tag;
  summary: string;
  description?: string;
  /**
   * The credentials, one of which is sent, and what they have to allow: a role, or scopes. `anonymous`: none is needed. Empty, the
   * same.
   */
  credentials: Partial<Readonly<Record<SecurityScheme | 'anonymous', readonly string[]>>>;
  headers?: Fields;
  query?: Fields;
  params?: Fields;
  body?: BodyDescription;
  /** Answers by status. Errors that `errors` lists are not repeated here. */
  answers: Readonly<Record<number, AnswerDescription>>;
  /** Errors of the handler; those of every route are added. */
  errors: readonly DescribedError[];
  /**
   * Which errors of every route are added: all by default; `failures as 500`: a failing store is a 500, as the specification of the
   * platforms' routes requires; `none`: the route lists all of its errors itself.
   */
  commonErrors?: 'all' | 'failures as 500' | 'none';
};

export type BodyDescription = {
  schema: z.ZodType;
  types?: readonly string[];
  example: unknown;
  optional?: boolean;
  alternatives?: readonly Required<Pick<BodyDescription, 'schema' | 'types' | 'example'>>[];
};

export type AnswerDescription = {
  description: string;
  type?: string;
  /** Undefined: no body, or not one that is described. */
  schema?: z.ZodType;
  example?: unknown;
  /** Codes of an answer that is an error with a body of its own. */
  errorCodes?: readonly string[];
  /** Another media type, for callers who prefer it. */
  alternatively?: string;
  headers?: Readonly<Record<string, string>>;
};
