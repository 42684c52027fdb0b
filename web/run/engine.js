/** The engine and the system, by what a browser says of itself. */

/**
 * @typedef {object} UserAgentData Chromium's
 * @property {{ brand: string, version: string }[]} [fullVersionList]
 * @property {string} [platform]
 * @property {string} [platformVersion]
 * @property {string} [architecture]
 */

/** The first that fits: Chromium claims to be Safari, too. @type {[name: string, version: RegExp][]} */
const ENGINES = [
  ['firefox', /\bFirefox\/([\d.]+)/],
  ['chromium', /\b(?:Chrome|Chromium|HeadlessChrome|CriOS)\/([\d.]+)/],
  ['webkit', /\bAppleWebKit\/.*\bVersion\/([\d.]+)/],
  ['webkit', /\bAppleWebKit\/([\d.]+)/],
];

/** @param {string} version such as 156.0.1.2, of which two parts tell what is to be told */
const short = (version) => version.split('.').slice(0, 2).join('.');

/**
 * @param {string} userAgent
 * @param {UserAgentData} [data]
 * @returns {string} such as `chromium 156.0`
 */
export function engineOf(userAgent, { fullVersionList = [] } = {}) {
  const brand = fullVersionList.find((one) => one.brand === 'Chromium');
  if (brand) return `chromium ${short(brand.version)}`;
  for (const [name, version] of ENGINES) {
    const found = version.exec(userAgent);
    if (found) return `${name} ${short(found[1])}`;
  }
  return 'unknown';
}

/**
 * @param {string} userAgent
 * @param {UserAgentData} [data]
 */
export function systemOf(userAgent, { platform, platformVersion, architecture } = {}) {
  if (platform) return [platform, platformVersion, architecture].filter(Boolean).join(' ');
  // Mozilla/5.0 (<system>) ...
  return /\(([^)]+)\)/.exec(userAgent)?.[1].replace(/; rv:.*$/, '') ?? 'unknown';
}
