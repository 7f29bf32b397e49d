const example = '{"data.total": {"$gt": 40}}';

/** The input field for a filter. */
const filterField = {
  key: 'filter',
  label: 'Filter',
  type: 'text',
  required: false,
  placeholder: example,
  helpText: `Only events that meet these conditions, as JSON: \`${example}\` selects events whose field \`total\` is above 40. Fields: \`id\`, \`type\`, \`timestamp\`, \`flowId\` and those of \`data\`. Operators: those of [MongoDB](https://www.mongodb.com/docs/manual/reference/operator/query/), such as \`$gt\`, \`$in\`, \`$exists\`, \`$or\`.`,
};

/** The filter that a user typed; undefined if the field is empty. Throws an error that names the mistake, unless it is an object as JSON. */
function parseFilter(z, text) {
  if (text === undefined || text.trim() === '') return undefined;
  const refuse = (reason) => new z.errors.Error(`Filter: ${reason}. Example: ${example}`, 'invalid_filter', 400);
  let filter;
  try {
    filter = JSON.parse(text);
  } catch {
    throw refuse(/[“”„]/.test(text) ? 'use straight quotation marks (") around names and texts' : 'this is not JSON');
  }
  if (typeof filter !== 'object' || filter === null || Array.isArray(filter)) {
    throw refuse('this must be an object, in braces { }');
  }
  return filter;
}

module.exports = { filterField, parseFilter };
