const { parseObject } = require('./json-object');

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

/** The filter that a user typed; undefined if the field is empty. */
const parseFilter = (z, text) => parseObject(z, { label: 'Filter', code: 'invalid_filter', example }, text);

module.exports = { filterField, parseFilter };
