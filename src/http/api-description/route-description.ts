import type { z } from 'zod';
import type { DescribedError } from '../errors.js';
import type { SecurityScheme, Tag } from './texts.js';

export type Fields = Readonly<Record<string, z.ZodType>>;

/** A route as its users see it: the API description is made from these. */
export type RouteDescription = {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  readonly path: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string | undefined;
  /**
   * The credentials, one of which is sent, and what they have to allow: a role, or scopes. `anonymous`: none is needed. Empty, the
   * same.
   */
  readonly credentials: Partial<Readonly<Record<SecurityScheme | 'anonymous', readonly string[]>>>;
  readonly headers?: Fields | undefined;
  readonly query?: Fields | undefined;
  readonly params?: Fields | undefined;
  readonly body?: BodyDescription | undefined;
  /** By status. Errors that `errors` lists are not repeated here. */
  readonly answers: Readonly<Record<number, AnswerDescription>>;
  /** Errors of the handler; those of every route are added. */
  readonly errors: readonly DescribedError[];
  /**
   * Which errors of every route are added: all by default; `failures as 500`: a failing store is a 500, as the specification of the
   * platforms' routes requires; `none`: the route lists all of its errors itself.
   */
  readonly commonErrors?: 'all' | 'failures as 500' | 'none' | undefined;
};

export type BodyDescription = {
  readonly schema: z.ZodType;
  readonly types?: readonly string[];
  readonly example: unknown;
  readonly optional?: boolean;
  readonly alternatives?: readonly Required<Pick<BodyDescription, 'schema' | 'types' | 'example'>>[];
};

export type AnswerDescription = {
  readonly description: string;
  readonly type?: string;
  /** Undefined: no body, or not one that is described. */
  readonly schema?: z.ZodType;
  readonly example?: unknown;
  /** Another media type, for callers who prefer it. */
  readonly alternatively?: string;
  readonly headers?: Readonly<Record<string, string>>;
};
