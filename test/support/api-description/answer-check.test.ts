import { expect } from 'chai';
import { type Answered, answerCheck } from './answer-check.js';

describe('the comparison of answers with the API description', () => {
  const check = answerCheck();
  const answered = (part: Partial<Answered>) => () =>
    check({
      method: 'GET',
      path: '/test',
      status: 200,
      contentType: 'application/json; charset=utf-8',
      body: { success: 1 },
      ...part,
    });
  const error = (code: string) => ({ error: code, message: 'there is no route /x', requestId: 'r' });

  it('accepts a described answer, also with a query, a slash at the end, or another letter case of the path', () => {
    for (const path of ['/test', '/test?x=1', '/test/', '/TEST']) expect(answered({ path })).not.to.throw();
    expect(answered({ status: 401, body: error('unauthenticated') })).not.to.throw();
    expect(answered({ method: 'HEAD', body: '' })).not.to.throw();
  });

  it('refuses a status, a content type, and a body that are not described', () => {
    expect(answered({ status: 202 })).to.throw('GET /test is answered 202, but the API description has no such status');
    expect(answered({ contentType: 'text/html' })).to.throw('no such content type as text/html');
    expect(answered({ body: { success: 2 } })).to.throw('data/success must be equal to constant');
    expect(answered({ body: { success: 1, more: true } })).to.throw('must NOT have additional properties');
    expect(answered({ status: 401, body: error('forbidden') })).to.throw('no such code as forbidden');
  });

  it('prefers a path without parameters', () => {
    const path = '/admin/api/deliveries/status?x=1';
    expect(answered({ path, body: { items: [] } })).to.throw('the body is none that the API description allows');
  });

  it('refuses a success of a route that is not described, and accepts the pages', () => {
    expect(answered({ path: '/x' })).to.throw('the API description has no such route');
    expect(answered({ path: '/x', status: 404, body: error('not_found') })).not.to.throw();
    expect(answered({ path: '/docs', contentType: 'text/html', body: '<p>' })).not.to.throw();
    expect(answered({ path: '/docs.html' })).to.throw('the API description has no such route');
  });

  it('follows the settings of the service', () => {
    const path = '/listeners/perform-list';
    const samples = { path, status: 201, body: [] };
    expect(answered(samples)).to.throw('no such route');
    const other = answerCheck({ HOOKS_PREFIX: '/listeners' });
    expect(() => other({ method: 'GET', path, status: 201, contentType: 'application/json', body: [] })).not.to.throw();
  });
});
