import { expect } from 'chai';
import { csvOf } from '../../src/console/pages/export.js';

describe('the export of a list', () => {
  it('has the fields of all rows, all quoted as RFC 4180 says', () => {
    const rows = [
      { id: 'one', text: 'a "quoted", text', count: -1 },
      { id: 'two', last: null, list: [1, -2] },
    ];
    expect(csvOf(rows)).to.equal(
      '"id","text","count","last","list"\r\n"one","a ""quoted"", text","-1","",""\r\n"two","","","","[1,-2]"\r\n',
    );
  });
});
