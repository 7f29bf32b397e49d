/** A `datetime-local` value, which has no zone, as ISO 8601 in UTC. Other texts stay. */
export const utcInstant = (text: string | undefined): string | undefined =>
  text !== undefined && /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/.test(text)
    ? `${text.length === 16 ? `${text}:00` : text}Z`
    : text;
