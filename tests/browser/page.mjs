// An exported page in a real browser.
//   node page.mjs PAGE.html PICTURES    prints what is wrong; exit 1 where there is anything
// PICTURES is a directory for screenshots, or "" for none.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

const require = createRequire(path.join(process.env.CHORUS_NODE, 'package.json'));
const { chromium } = require('playwright-core');

const [file, pictures] = process.argv.slice(2);
const address = pathToFileURL(file).href;
const desk = { width: 1100, height: 900 };
const phone = { width: 390, height: 844 };
let wrong = 0;

const expect = (holds, what) => {
  if (holds) return;
  wrong += 1;
  console.log(`FAILED: ${path.basename(file)}: ${what}`);
};
const equal = (got, wanted, what) =>
  expect(got === wanted, `${what}: expected ${JSON.stringify(wanted)}, got ${JSON.stringify(got)}`);

const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  headless: true,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync',
    '--disable-background-networking', '--disable-component-update'],
});

// A page that is watched from before its first byte.
const open = async (options, url = address) => {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const seen = { requests: [], complaints: [], violations: [] };
  context.on('request', (request) => seen.requests.push(request.url()));
  page.on('console', (message) => seen.complaints.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => seen.complaints.push(String(error)));
  page.on('dialog', (dialog) => {
    seen.complaints.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  await page.exposeFunction('violated', (what) => seen.violations.push(what));
  await page.addInitScript(() => {
    addEventListener('securitypolicyviolation', (event) =>
      window.violated(`${event.violatedDirective} ${event.blockedURI}`));
  });
  await page.goto(url);
  return { context, page, seen };
};
const picture = async (page, name) => {
  if (pictures) await page.screenshot({ path: path.join(pictures, `${name}.png`) });
};
const visible = (page) => page.evaluate(() =>
  [...document.querySelectorAll('article')].filter((one) => one.offsetParent !== null).length);
const search = async (page, text) => {
  await page.fill('#query', text);
  await page.waitForTimeout(250);
  return visible(page);
};
const background = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
const brightness = (color) => color.match(/\d+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0);
const overflow = (page) => page.evaluate(() =>
  document.documentElement.scrollWidth - document.documentElement.clientWidth);

const quiet = async ({ page, seen }, where) => {
  equal(await page.evaluate(() => window.canary), undefined, `${where}: what a script of others set`);
  equal(seen.requests.filter((url) => url.split('#')[0] !== address).join(' '), '', `${where}: requests`);
  equal(seen.complaints.join('; '), '', `${where}: console`);
  equal(seen.violations.join('; '), '', `${where}: policy violations`);
};

const watched = await open({ viewport: desk, colorScheme: 'light' });
const { page } = watched;

// nothing in it is anything but the exporter's own
const found = await page.evaluate(() => {
  const all = [...document.querySelectorAll('*')];
  const own = new Set(('html head meta title style body header h1 h2 dl dt dd figure figcaption svg g rect title a ' +
    'div input output main article b time span pre code small details summary i p script').split(' '));
  return {
    foreign: [...new Set(all.map((one) => one.localName))].filter((name) => !own.has(name)).join(' '),
    scripts: document.scripts.length,
    handlers: all.flatMap((one) => one.getAttributeNames()).filter((name) => /^(on|src|style|action)/.test(name)).join(' '),
    links: [...document.querySelectorAll('a')].map((one) => one.getAttribute('href'))
      .filter((href) => !href.startsWith('#') || !document.getElementById(href.slice(1))).join(' '),
    policy: document.querySelector('meta[http-equiv]').content,
  };
});
equal(found.foreign, '', 'elements that are not the page\'s own');
equal(found.scripts, 1, 'scripts');
equal(found.handlers, '', 'attributes that act');
equal(found.links, '', 'links that lead nowhere, or out');
expect(/^default-src 'none'; style-src 'sha256-[^']{44}'; script-src 'sha256-[^']{44}'; base-uri 'none'; form-action 'none'$/
  .test(found.policy), `the policy is ${found.policy}`);

// the charts: a bar a turn, which leads to it
const chart = async (page) => ({
  captions: (await page.locator('figcaption:visible').allTextContents()).map((text) => text.replace(/[\d,]+ at/, 'N at')),
  bars: await page.locator('svg g').count(),
  links: await page.locator('svg a').count(),
  first: await page.locator('svg title').first().textContent({ timeout: 1000 }).catch(() => ''),
});
const drawn = await chart(page);
equal(drawn.captions[0], 'Tokens per turn, N at most inout', 'the caption of the tokens');
equal(drawn.captions[1], 'Cost per turn, $0.N at most', 'the caption of the cost');
equal(drawn.bars, 2 * 42, 'bars');
equal(drawn.links, drawn.bars, 'bars that lead to a turn');
expect(/^Turn 1, 2026-02-12 10:40: 3,300 in, 337 out$/.test(drawn.first), `the first bar is ${drawn.first}`);
expect(await page.locator('code.hidden', { hasText: 'U+202E' }).count() > 0, 'a hidden character is not shown');

// the search filters as it is typed, shows what was folded, and gives all back
const total = await visible(page);
equal(await page.locator('article').count(), total, 'articles that can be seen');
equal(await page.textContent('#count'), total.toLocaleString('en'), 'the count at first');
equal(await search(page, 'pomegranate'), 1, 'articles with the word');
equal(await page.textContent('#count'), `1 of ${total.toLocaleString('en')}`, 'the count after a search');
equal(await page.locator('details[open]').count(), 1, 'a folded match is shown');
await picture(page, 'search');
equal(await search(page, 'POMEGRANATE '), 1, 'articles, whatever the case');
equal(await search(page, '<img src=x'), await page.locator('article', { hasText: '<img src=x' }).count(),
  'articles with a tag as text');
equal(await search(page, 'no such word anywhere'), 0, 'articles with nothing of it');
expect(await page.isVisible('#nothing'), 'nothing says that there is nothing');
await page.press('#query', 'Escape');
equal(await visible(page), total, 'articles after the search');
equal(await page.locator('details[open]').count(), 0, 'what a search opened is folded again');

// long output is folded, and opens
const result = page.locator('.result').first();
expect(!(await result.isVisible()), 'a result is not folded');
await page.locator('details:has(.result) > summary').first().click();
expect(await result.isVisible(), 'a result does not open');
await page.locator('article').first().scrollIntoViewIfNeeded();
await page.evaluate(() => scrollTo(0, 0));
await picture(page, 'light');
await page.locator('article', { hasText: 'xlink' }).first().evaluate((one) => one.scrollIntoView());
await picture(page, 'hostile');
await page.evaluate(() => scrollTo(0, 0));
equal(await overflow(page), 0, 'overflow on a desk');

const light = await background(page);
await page.emulateMedia({ colorScheme: 'dark' });
const dark = await background(page);
expect(brightness(light) > 600 && brightness(dark) < 150, `light is ${light}, dark is ${dark}`);
await picture(page, 'dark');

// on a phone, with everything open
await page.setViewportSize(phone);
equal(await overflow(page), 0, 'overflow on a phone');
await picture(page, 'phone-dark');
await page.emulateMedia({ colorScheme: 'light' });
await page.evaluate(() => {
  for (const one of document.querySelectorAll('details')) one.open = true;
  for (const one of document.querySelectorAll('article')) one.style.contentVisibility = 'visible';
});
equal(await overflow(page), 0, 'overflow on a phone, all open');
await page.locator('details').nth(3).evaluate((one) => one.closest('article').scrollIntoView());
await picture(page, 'phone');

// whatever can be clicked
await page.evaluate(() => {
  for (const one of document.querySelectorAll('a, summary')) one.dispatchEvent(new MouseEvent('click', { bubbles: true }));
  for (const one of document.querySelectorAll('article *'))
    for (const type of ['click', 'mouseover', 'focus', 'error']) one.dispatchEvent(new Event(type, { bubbles: true }));
});
await page.waitForTimeout(200);
await quiet(watched, 'with script');
await watched.context.close();

// nothing is drawn of nothing, and of many turns a few bars
const drawnOf = async (turns) => {
  const other = file.replace(/\.html$/, '-turns.html');
  const data = JSON.stringify(turns).replaceAll('"', '&quot;');
  writeFileSync(other, readFileSync(file, 'utf8').replace(/data-turns="[^"]*"/, () => `data-turns="${data}"`));
  const opened = await open({ viewport: desk }, pathToFileURL(other).href);
  const found = await chart(opened.page);
  await opened.context.close();
  return found;
};
const turn = (number, tokens, usd) => [String(number), '2026-02-12 10:30', 2 * tokens, tokens, usd, 0];
equal((await drawnOf([])).bars, 0, 'bars of no turn');
equal((await drawnOf([turn(1, 0, -1)])).bars, 0, 'bars of a turn that spent nothing');
const few = await drawnOf([turn(1, 5, -1), turn(2, 5, -1), turn(3, 5, -1)]);
equal(few.captions.length, 1, 'charts where no cost is known');
equal(few.bars, 3, 'bars of three turns');
equal(few.links, 0, 'bars that lead nowhere');
const many = await drawnOf(Array.from({ length: 10_000 }, (_, at) => turn(at + 1, 5, -1)));
expect(many.bars > 100 && many.bars <= 160, `10,000 turns have ${many.bars} bars`);
equal(many.first, 'Turns 1 to 63, 2026-02-12 10:30: 630 in, 315 out', 'the first of many bars');
equal(many.captions.join(), 'Tokens per bar of several turns, N at most inout', 'the caption of many bars');

// without script everything can be read
const still = await open({ viewport: phone, javaScriptEnabled: false });
equal(await still.page.locator('article').count(), total, 'articles without script');
expect(await still.page.locator('article').first().isVisible(), 'nothing can be read without script');
expect(!(await still.page.isVisible('#find')), 'a search is offered that does nothing');
await still.page.locator('details:has(.result) > summary').first().click();
expect(await still.page.locator('.result').first().isVisible(), 'a result does not open without script');
equal(still.seen.requests.filter((url) => url.split('#')[0] !== address).join(' '), '', 'without script: requests');
await still.context.close();

await browser.close();
process.exit(wrong === 0 ? 0 : 1);
