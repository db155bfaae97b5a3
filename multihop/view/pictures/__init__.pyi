from .choosing import picture_search as picture_search
