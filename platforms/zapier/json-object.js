/**
 * The object that a user typed as JSON into a field; undefined if the field is empty. Throws an error that names the field and the mistake.
 */
function parseObject(z, { label, code, example }, text) {
  if (text === undefined || text.trim() === '') return undefined;
  const refuse = (reason) => new z.errors.Error(`${label}: ${reason}. Example: ${example}`, code, 400);
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    throw refuse(/[“”„]/.test(text) ? 'use straight quotation marks (") around names and texts' : 'this is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw refuse('this must be an object, in braces { }');
  }
  return value;
}

module.exports = { parseObject };
