import type { IDataObject, INode } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

/** The value of a JSON field, which is text, or the value of an expression. Throws `NodeOperationError` if the text is no JSON. */
export function jsonValue(node: INode, field: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch (error) {
    throw new NodeOperationError(node, `${field} is not valid JSON: ${(error as Error).message}`);
  }
}

/** An item of a workflow has to be an object. */
export const itemOf = (body: unknown): IDataObject =>
  typeof body === 'object' && body !== null && !Array.isArray(body)
    ? (body as IDataObject)
    : { body: body as IDataObject[] };
