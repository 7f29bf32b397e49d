/** The JSON of a field of a form, or why it cannot be parsed. */
export function parsedJson(text: string): { readonly value: unknown } | { readonly error: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { error: (error as Error).message }; // a SyntaxError
  }
}
