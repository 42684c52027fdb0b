/** The five changes to Node that this began with: the idea of each, and a drawing of it. */

/** @import { ComponentChildren } from 'preact' */

/**
 * @typedef {object} Seed
 * @property {number} number of the pull request
 * @property {string} title
 * @property {string} idea in two sentences
 * @property {() => ComponentChildren} drawing
 */

/**
 * @param {object} props
 * @param {string} props.title
 * @param {string} props.about what is to be seen
 * @param {ComponentChildren} props.children
 */
const Drawing = ({ title, about, children }) => (
  <svg class="drawing" viewBox="0 0 400 96" role="img" aria-label={`${title}: ${about}`}>
    <title>{title}</title>
    <desc>{about}</desc>
    {children}
  </svg>
);

/** @param {number} count */
const upTo = (count) => Array.from({ length: count }, (_, i) => i);

const Views = () => (
  <Drawing
    title="Views straight onto the pool"
    about="A strip of memory is the pool. Three views each cover a few bytes of it, made on its buffer without a step between."
  >
    <rect class="box" x="4" y="58" width="392" height="24" />
    {[
      [24, 60, 'view'],
      [120, 92, 'view'],
      [236, 60, 'view'],
    ].map(([x, width, name]) => (
      <g key={x}>
        <rect class="ours" x={x} y="58" width={width} height="24" />
        <path class="line" d={`M${Number(x) + Number(width) / 2} 40V54`} />
        <path class="tip" d={`M${Number(x) + Number(width) / 2 - 4} 48l4 8 4-8z`} />
        <text x={Number(x) + Number(width) / 2} y="36" class="middle">
          {name}
        </text>
      </g>
    ))}
    <text x="392" y="75" class="end">
      the pool
    </text>
    <text x="4" y="14" class="quiet">
      new View(buffer, at, size)
    </text>
  </Drawing>
);

const Zero = () => (
  <Drawing
    title="Zeroed only where needed"
    about="A row of pages. Those below the high-water mark were used and must be cleared; those above were never touched and are zero already."
  >
    {upTo(14).map((i) => (
      <rect
        key={i}
        class={i < 5 ? 'used' : 'box dashed'}
        x={4 + i * 28}
        y="44"
        width="28"
        height="24"
      />
    ))}
    <path class="accent-line" d="M144 30V82" />
    <text x="140" y="24" class="end">
      used: cleared
    </text>
    <text x="150" y="24">
      never touched: zero already
    </text>
    <text x="150" y="86" class="quiet">
      high-water mark
    </text>
  </Drawing>
);

const Contents = () => (
  <Drawing
    title="Contents without a buffer object"
    about="An arena with small values at pointers. Bytes of one are copied out into an array; an object for one exists only where somebody asked for it."
  >
    <rect class="box" x="4" y="16" width="250" height="24" />
    {upTo(8).map((i) => (
      <rect
        key={i}
        class={i === 5 ? 'ours' : 'used'}
        x={8 + i * 26}
        y="20"
        width="20"
        height="16"
      />
    ))}
    <text x="392" y="33" class="end">
      arena: plain pointers
    </text>
    <path class="line" d="M148 42V66" />
    <path class="tip" d="M144 60l4 8 4-8z" />
    <rect class="ours" x="126" y="70" width="44" height="18" />
    <text x="178" y="84">
      bytes copied out
    </text>
    <rect class="box dashed" x="4" y="70" width="108" height="18" rx="4" />
    <text x="58" y="84" class="middle quiet">
      object: if asked
    </text>
  </Drawing>
);

const Ids = () => (
  <Drawing
    title="A stack of ids that both sides see"
    about="Pairs of ids in linear memory, three of sixteen places taken. JavaScript and C++ both write the top one; C++ alone makes room for more."
  >
    {upTo(16).map((i) => (
      <rect
        key={i}
        class={i < 2 ? 'used' : i === 2 ? 'ours' : 'box'}
        x={4 + i * 19}
        y="40"
        width="19"
        height="22"
      />
    ))}
    <rect class="box dashed" x="308" y="40" width="88" height="22" />
    <text x="352" y="56" class="middle quiet">
      C++ grows
    </text>
    <path class="line" d="M51 20V34M51 82V68" />
    <path class="tip" d="M47 30l4 8 4-8zM47 72l4-8 4 8z" />
    <text x="59" y="24">
      JavaScript pushes and pops
    </text>
    <text x="59" y="88">
      C++ pushes and pops
    </text>
  </Drawing>
);

const Ring = () => (
  <Drawing
    title="A ring of segments"
    about="Two segments of 2048 slots each, linked. Ticks are taken from the first and pushed to the second, by JavaScript and by C++."
  >
    {[4, 212].map((left) => (
      <g key={left}>
        {upTo(9).map((i) => (
          <rect
            key={i}
            class={(left === 4 ? i > 3 : i < 4) ? 'ours' : 'box'}
            x={left + i * 20}
            y="36"
            width="20"
            height="24"
          />
        ))}
      </g>
    ))}
    <path class="line" d="M186 48H206" />
    <path class="tip" d="M202 44l8 4-8 4z" />
    <path class="line" d="M94 34V20M302 20V32" />
    <path class="tip" d="M90 24l4-8 4 8zM298 28l4 8 4-8z" />
    <text x="94" y="12" class="middle">
      drain
    </text>
    <text x="302" y="12" class="middle">
      push: JavaScript, C++
    </text>
    <text x="94" y="80" class="middle quiet">
      2048 slots
    </text>
    <text x="302" y="80" class="middle quiet">
      linked when one is full
    </text>
  </Drawing>
);

/** @type {Seed[]} */
export const IDEAS = [
  {
    number: 8302,
    title: 'Views straight onto the pool',
    idea: 'A small buffer is a view made by its constructor on the pool’s buffer, not by subarray(), which first has to find out which constructor to call. Here the pool is WebAssembly memory, so C++ sees the same bytes.',
    drawing: Views,
  },
  {
    number: 21989,
    title: 'Zeroed only where needed',
    idea: 'Memory fresh from the system is zero already, so zeroes are had from it without writing any. What was ever used is remembered, and only that is cleared.',
    drawing: Zero,
  },
  {
    number: 26301,
    title: 'Contents without a buffer object',
    idea: 'Values that live for a moment stay at plain pointers in an arena, and an object is made for one only where somebody asks for it. Their bytes are copied out without making a view first.',
    drawing: Contents,
  },
  {
    number: 18290,
    title: 'A stack of ids that both sides see',
    idea: 'The ids of what runs lie in linear memory: JavaScript pushes and pops them there itself, with a few stores. C++ is called only when the stack is full and has to grow.',
    drawing: Ids,
  },
  {
    number: 18617,
    title: 'A ring of segments',
    idea: 'Ticks are queued in segments of 2048 slots, one linked behind the other when it is full, where a list would need an object for each. JavaScript and C++ push to the same ring.',
    drawing: Ring,
  },
];
