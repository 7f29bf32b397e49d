import { jsonValue } from '../../kernel/input/json-value.js';
import { printableText } from '../../kernel/input/texts.js';
import { publishRequest } from '../contract.js';

export const eventTypeName = publishRequest.shape.type;

const description = printableText(500);
const schema = jsonValue.describe('JSON Schema, draft 2020-12, of the data; null: any data.');
const example = jsonValue.describe('An example of the data, which the schema accepts; null: none.');

export const declareEventTypeRequest = {
  name: eventTypeName,
  description,
  schema: schema.optional(),
  example: example.optional(),
};

/** Undefined fields stay unchanged. */
export const changeEventTypeRequest = {
  name: eventTypeName,
  description: description.optional(),
  schema: schema.optional(),
  example: example.optional(),
};
