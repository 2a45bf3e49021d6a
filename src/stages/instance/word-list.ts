/** Common English words, four to eight letters, for names and texts. The order is part of the format: append only. */
export const WORDS: readonly string[] = `
able acorn actor after agent alarm album amber angle apple april apron arena arrow autumn badge baker banjo barrel basin
basket beach beacon beaver berry birch blade blanket blaze bloom board bottle bounce branch brave bread breeze brick
bridge bright broom brother bubble bucket budget buffalo bundle butter button cabin cable camel camera candle canoe
canvas canyon carbon cargo carpet carrot castle cattle cedar cellar cereal chain chalk charm cheese cherry chest
circle citrus clever cliff cloud clover coast cobalt coffee comet copper coral corner cotton couch cousin cover
cradle crane crater crayon cream creek cricket crisp crown crystal daisy dancer dawn decade delta desert diamond
dinner dolphin donkey dragon drama dream drift drum dusty eagle early earth echo elbow ember engine equal evening
fabric falcon family farmer feather fence ferry fiddle field figure finch flame flavor flint float floor flower
fluent forest fossil fountain frame fresh friend frost galaxy gallery garden garlic gentle ginger glacier glass
globe glove golden gopher grain granite grape grass gravel green guitar hammer harbor harvest hazel heron hidden
hollow honest honey horizon humble hunter iron island ivory jacket jaguar jasmine jewel jolly jungle kettle kitten
ladder lagoon lantern laurel lemon level library light lilac linen liquid little lively lizard lobby locket lotus
lucky lumber magnet mango maple marble market meadow melon mentor mercury metal middle mirror mitten modest monkey
morning mosaic motor mountain mouse museum music mustard napkin narrow nature needle nephew noble normal north
notebook number nutmeg ocean olive onion orange orbit orchard otter oxygen oyster paddle palace panda paper parrot
pasture patient pebble pencil penguin pepper piano picnic pigeon pillow pilot pine planet plaza pocket poem polar
pony popcorn poplar potato powder prairie proud pumpkin puppet purple puzzle quartz quiet rabbit radish railway
rainbow raven record reed ribbon river robin rocket rolling rose round royal ruby rustic saddle sailor salmon
sandal sapphire satin scarlet school season shadow shell shelter shiny silent silver simple sister sketch slate
smooth snowy socket soft solar sparrow spice spider spinach spiral spring spruce square stable stamp starling steady
steam stone storm story stream summer sunny supper swift table tailor talent tango teapot temple tender thunder
ticket tiger timber tomato topaz torch tower trail travel treaty tulip tunnel turtle umbrella uncle union useful
valley vanilla velvet village violet violin visitor voyage wagon walnut warm water weather west wheat whisper wild
willow window winter wisdom wolf wonder wooden yellow young zebra zephyr
`
  .trim()
  .split(/\s+/);
