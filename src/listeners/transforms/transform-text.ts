import { InvalidRequest } from '../../kernel/domain-error.js';

/** The transformation of a listener: a JSONata expression. Null: events are sent as they are. */
export type TransformText = string | null;

/** Maximum size of an expression. */
const maxTransformBytes = 4_096;

/**
 * The stored form of a transformation in a request; an empty one is none. Parses it, and evaluates nothing. Throws `InvalidRequest`,
 * which names the place that is not valid. The parser is loaded for the first expression.
 */
export async function transformText(expression: string | null | undefined): Promise<TransformText> {
  if (expression === undefined || expression === null || expression.trim() === '') return null;
  if (Buffer.byteLength(expression) > maxTransformBytes) {
    throw new InvalidRequest(`transform: must have at most ${maxTransformBytes} bytes`);
  }
  const { default: jsonata } = await import('jsonata');
  try {
    jsonata(expression);
  } catch (error) {
    throw new InvalidRequest(`transform: ${reasonOf(error)}`);
  }
  return expression;
}

/** JSONata throws objects with a message and a position; a parser that runs out of stack throws an error without one. */
function reasonOf(error: unknown): string {
  const { message, position } = error as { message?: string; position?: number };
  const place = typeof position === 'number' ? `at character ${position}: ` : '';
  return `${place}${message ?? 'is not an expression'}`;
}
