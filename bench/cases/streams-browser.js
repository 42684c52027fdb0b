import { engines } from '../../tools/browsers/index.js';
import { measureInBrowser } from '../node/in-browser.js';
import streamsPage from './streams-page.js';

/** @type {import('../harness/case.js').Case} */
export default {
  name: 'streams-browser',
  about: streamsPage.about.replace('a page', 'browsers'),
  host: 'node',
  parameters: { engine: engines, ...streamsPage.parameters },
  needs: ({ engine }) => [engine, 'page'],
  elsewhere: ({ engine, work }, options) =>
    measureInBrowser(engine, 'streams-page', { work }, options),
};
