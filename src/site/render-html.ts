import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';

/** Unicode's bidirectional controls (UAX #9): they change the order in which the text beside them is shown. */
const controls = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
const everyControl = new RegExp(controls, 'g');

const escaped = (text: string): string =>
  text.replace(everyControl, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** A value of a form stays as it is; a tag's texts for people are escaped, and all text between tags. */
const parts = /<textarea[\s\S]*?<\/textarea>|<(?:"[^"]*"|[^">])*>|[^<]+/g;
const shownAttributes = / (?:title|aria-label|placeholder)="[^"]*"/g;

/** HTML in which bidirectional controls are shown as `\u202e`, so that a text cannot show itself as another one. */
export function renderHtml(content: VNode): string {
  const html = renderToString(content);
  if (!controls.test(html)) return html;
  return html.replace(parts, (part) => {
    if (!controls.test(part) || part.startsWith('<textarea')) return part;
    return part.startsWith('<') ? part.replace(shownAttributes, escaped) : escaped(part);
  });
}
