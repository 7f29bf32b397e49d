import { expect } from 'chai';
import { renderToString } from 'preact-render-to-string';
import { TextWithTimes } from '../../../src/site/components/time.js';

const at = '2026-01-31T12:00:00.000Z';

describe('sentences with times', () => {
  it('show instants as times, and values of events as they are', () => {
    const html = renderToString(<TextWithTimes text={`paused since ${at}: timestamp.$gt "${at}" failed on "${at}"`} />);
    expect(html.match(/<time/g)).to.have.length(1);
    expect(html.replaceAll('&quot;', '"')).to.include(`timestamp.$gt "${at}" failed on "${at}"`);
  });
});
